import { expect } from '@jest/globals'
import { MessageService, RoomService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post, roomName } from '../src/rooms.ts'
import { inBrowser, messageWith, say, signInAt, useBrowser, visit, visitAs } from '../src/web-client.ts'

const { createMessage, deleteMessage } = MessageService.method
let ada: Person
let bob: Person
let roomId: string

useBrowser('the web client', async () => {
  ;[ada, bob] = await Promise.all([newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(await signInOwner(), [ada, bob])
})

inBrowser('two people in two browsers exchange messages', async () => {
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  await using ofBob = await visitAs(bob, `/chat/-/${roomId}`, { colorScheme: 'dark' })
  const [atAda, atBob] = [ofAda.page, ofBob.page]

  // A hint reaches only current subscribers, so typing is repeated until it is seen.
  await eventually(async () => {
    await atAda.getByRole('textbox', { name: 'Write a message' }).pressSequentially('Shall')
    expect(await atBob.getByText(`${ada.login} is typing`).isVisible()).toBe(true)
  })
  await say(atAda, 'Shall we ship **today**?')
  await messageWith(atBob, 'Shall we ship today?').waitFor()
  await say(atAda, 'Bread &amp; butter')
  await messageWith(atBob, 'Bread & butter').waitFor()

  await say(atBob, 'Yes, after lunch')
  await messageWith(atAda, 'after lunch').hover()
  await messageWith(atAda, 'after lunch').getByRole('button', { name: 'React', exact: true }).click()
  await messageWith(atAda, 'after lunch').getByRole('button', { name: 'React with tada' }).click()
  await messageWith(atBob, 'after lunch').getByRole('button', { name: ':tada:, 1 person' }).waitFor()

  await atBob.getByRole('textbox', { name: 'Write a message' }).press('ArrowUp')
  await atBob.getByRole('textbox', { name: 'Edit message' }).fill('Yes, after tea')
  await atBob.getByRole('textbox', { name: 'Edit message' }).press('Enter')
  await messageWith(atAda, 'after tea').waitFor()

  await messageWith(atAda, 'Shall we ship').hover()
  await messageWith(atAda, 'Shall we ship').getByRole('button', { name: 'Reply in thread' }).click()
  await atAda.getByRole('textbox', { name: 'Reply in thread' }).fill('Who brings the cake?')
  await atAda.getByRole('textbox', { name: 'Reply in thread' }).press('Enter')
  await messageWith(atBob, 'Shall we ship').getByRole('link', { name: 'One reply' }).click()
  await atBob.getByRole('complementary').getByText('Who brings the cake?').waitFor()

  await messageWith(atBob, 'after tea').hover()
  await messageWith(atBob, 'after tea').getByRole('button', { name: 'Delete', exact: true }).click()
  await messageWith(atBob, 'after tea').getByRole('button', { name: 'Delete', exact: true }).click()
  await atAda.getByText('This message was deleted.').waitFor()
  expect([...ofAda.pageErrors, ...ofBob.pageErrors]).toEqual([])
})

inBrowser('a deleted reply is no longer counted in an open room and an open list of threads', async () => {
  const root = await post(ada, roomId, 'Where do we meet?')
  const reply = async (body: string) => {
    const { message } = await bob.call(createMessage, { roomId, threadRootEventId: root, body })
    return { roomId, eventId: message?.id ?? '' }
  }
  await using inRoom = await visitAs(ada, `/chat/-/${roomId}`)
  await using inThreads = await visitAs(ada, `/chat/-/${roomId}`)
  const counted = messageWith(inRoom.page, 'Where do we meet?')
  const first = await reply('At the lake')
  const second = await reply('By the bridge')
  await counted.getByRole('link', { name: '2 replies' }).waitFor()
  await inThreads.page.getByRole('button', { name: /^Threads/ }).click()
  const listed = inThreads.page.getByRole('complementary').getByRole('link', { name: 'Where do we meet?' })
  await listed.filter({ hasText: '2 replies' }).waitFor()
  await bob.call(deleteMessage, second)
  await counted.getByRole('link', { name: 'One reply' }).waitFor()
  await listed.filter({ hasText: 'One reply' }).waitFor()

  const pages = [inRoom.page, inThreads.page]
  for (const page of pages) await page.context().setOffline(true)
  for (const page of pages) await page.getByText(/^Not connected/).waitFor()
  await bob.call(deleteMessage, first)
  for (const page of pages) await page.context().setOffline(false)
  await counted.getByRole('link', { name: 'One reply' }).waitFor({ state: 'detached' })
  await listed.waitFor({ state: 'detached' })
})

inBrowser('an unsent message survives a reload, and is posted once', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const countPosted = async () => {
    const { page: read } = await bob.call(RoomService.method.getRoomEvents, { roomId })
    const bodies = read?.events.map(({ event }) => (event.case === 'messagePosted' ? event.value.message?.body : ''))
    return bodies?.filter((body) => body === 'Written in a tunnel').length
  }
  await page.route('**/CreateMessage', (route) => route.abort())
  // Messages are stored before they are sent.
  await Promise.all([page.waitForRequest('**/CreateMessage'), say(page, 'Written in a tunnel')])
  await page.getByText('Written in a tunnel').waitFor()
  await page.reload()
  await page.getByText('Written in a tunnel').waitFor()
  expect(await countPosted()).toBe(0)
  await page.unroute('**/CreateMessage')

  await eventually(async () => expect(await countPosted()).toBe(1))
  await messageWith(page, 'Written in a tunnel').waitFor()
  expect([await countPosted(), await messageWith(page, 'Written in a tunnel').count()]).toEqual([1, 1])
})

inBrowser('a room that is not shown is marked while it has unread messages', async () => {
  const elsewhere = await newRoom(await signInOwner(), [ada, bob])
  await using visitor = await visitAs(ada, `/chat/-/${elsewhere}`)
  const { page } = visitor
  await page.getByRole('textbox', { name: 'Write a message' }).waitFor()
  await post(bob, roomId, 'Look at me')
  // Other rooms may be unread too, because all suites share the fleet.
  const unread = page.getByRole('link', { name: /unread/ }).and(page.locator(`[href="/chat/-/${roomId}"]`))
  await unread.click()
  await page.getByText('New messages').waitFor()
  await messageWith(page, 'Look at me').waitFor()
  await unread.waitFor({ state: 'detached' })
})

inBrowser('tabs of one person share a socket; when its tab is closed, another tab opens one', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const first = visitor.page
  await first.getByRole('textbox', { name: 'Write a message' }).waitFor()
  const second = await first.context().newPage()
  let sockets = 0
  second.on('websocket', () => sockets++)
  await second.goto(first.url())
  await second.getByRole('textbox', { name: 'Write a message' }).waitFor()
  await post(bob, roomId, 'Heard in both tabs')
  for (const page of [first, second]) await messageWith(page, 'Heard in both tabs').waitFor()
  expect(sockets).toBe(0)

  await first.close()
  await post(bob, roomId, 'Heard in the other one')
  await messageWith(second, 'Heard in the other one').waitFor()
  expect(sockets).toBe(1)
})

inBrowser('a pane opened before the first room has loaded stays open', async () => {
  await using visitor = await visit()
  const { page } = visitor
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  await page.route('**/ListRooms', async (route) => {
    await held
    await route.continue()
  })
  await signInAt(page, ada)
  await page.getByRole('button', { name: /^Notifications/ }).click()
  const beside = page.getByRole('complementary', { name: 'Notifications' })
  await beside.waitFor()
  letGo()
  await page.waitForURL(/\/chat\/-\/./)
  await page.getByRole('main').getByRole('heading').first().waitFor()
  expect(await beside.isVisible()).toBe(true)
})

inBrowser('a wrong password is reported in the language of the browser', async () => {
  await using visitor = await visit('/', { locale: 'de-DE' })
  const { page } = visitor
  await page.getByLabel('Anmeldename oder E-Mail-Adresse').fill(ada.login)
  await page.getByLabel('Passwort').fill('not this one')
  await page.getByLabel('Passwort').press('Enter')
  await page.getByRole('alert').getByText('Anmeldename oder Passwort ist falsch.').waitFor()
  // Pressing the button takes the focus out of the field; after the failure the password can be typed again.
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await page.getByRole('button', { name: 'Anmelden', exact: true, disabled: false }).waitFor()
  await eventually(async () => {
    expect(await page.evaluate('document.activeElement.name')).toBe('password')
    expect(await page.evaluate('getSelection().toString().length')).toBe('not this one'.length)
  })
})

inBrowser('refusals and roles are shown in the language of the browser', async () => {
  const owner = await signInOwner()
  const name = roomName()
  await newRoom(owner, [], { name })
  await using visitor = await visitAs(owner, `/manage/people/${ada.userId}`, { locale: 'de-DE' })
  const { page } = visitor
  await page.getByLabel('Eigentümer').waitFor()
  await page.getByText('Kann alles.').waitFor()

  await page.goto(new URL(`/chat/-/${roomId}`, page.url()).href)
  await page.getByRole('button', { name: 'Räume durchsuchen' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Neuer Raum' }).click()
  await dialog.getByLabel('Name', { exact: true }).fill(name)
  await dialog.getByRole('button', { name: 'Raum anlegen' }).click()
  await dialog.getByRole('alert').getByText('Es gibt schon einen Raum mit diesem Namen.').waitFor()
})

inBrowser('an unknown address shows an error and a link to the rooms', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page, pageErrors } = visitor
  const { origin } = new URL(page.url())
  for (const [path, status] of [
    ['/nowhere', 404],
    ['/manage/secrets', 200],
  ] as const) {
    const answer = await page.goto(origin + path)
    expect(answer?.status()).toBe(status)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  }
  await page.getByRole('link', { name: 'Go to rooms' }).click()
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  expect(pageErrors.filter((error) => !error.includes('status of 404'))).toEqual([])
})
