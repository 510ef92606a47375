import { randomBytes } from 'node:crypto'
import { expect } from '@jest/globals'
import {
  AdminPermissionService,
  AdminRoomLayoutService,
  PermissionDecision,
  PermissionScopeKind,
} from '@parley/contracts/admin'
import { MessageService, MyAccountService, PresenceStatus, RoomService } from '@parley/contracts/api'
import type { Page } from 'playwright-core'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post, roomName } from '../src/rooms.ts'
import { inBrowser, messageWith, refusal, signInAt, useBrowser, visitAs } from '../src/web-client.ts'

let ada: Person
let bob: Person
let roomId: string

useBrowser('rooms', async () => {
  ;[ada, bob] = await Promise.all([newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(await signInOwner(), [ada, bob])
})

inBrowser('a conversation of several people can be started with the keyboard only', async () => {
  const cora = await newPerson('cora')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await page.keyboard.press('Control+k')
  await page.keyboard.type('New direct')
  await page.getByRole('option', { name: 'New direct message' }).waitFor()
  await page.keyboard.press('Enter')
  const field = page.getByRole('combobox', { name: 'Search for people' })
  for (const { login } of [bob, cora]) {
    await field.pressSequentially(login)
    await page.getByRole('option', { name: login, selected: true }).waitFor()
    await field.press('Enter')
    await page.getByRole('button', { name: `Remove ${login}` }).waitFor()
  }
  await field.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page
    .getByRole('heading', { name: bob.login })
    .and(page.getByRole('heading', { name: cora.login }))
    .waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a followed thread with a new reply is opened from the list of threads, and unfollowed', async () => {
  const root = await post(ada, roomId, 'Where do we eat?')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}/${root}`)
  const { page } = visitor
  await page.getByRole('textbox', { name: 'Reply in thread' }).fill('Any wishes?')
  await page.getByRole('textbox', { name: 'Reply in thread' }).press('Enter')
  await page.getByRole('complementary').getByText('Any wishes?').waitFor()
  await page.getByRole('link', { name: 'Close thread' }).click()
  await bob.call(MessageService.method.createMessage, { roomId, threadRootEventId: root, body: 'Noodles' })
  await page.getByRole('button', { name: 'Threads unread' }).click()
  await page.getByRole('complementary').getByRole('link', { name: 'Where do we eat?' }).click()
  await page.getByRole('complementary').getByText('Noodles').waitFor()
  await page.getByRole('button', { name: 'Following' }).click()
  await page.getByRole('button', { name: 'Follow', exact: true }).waitFor()
})

inBrowser('a failure to follow or unfollow a thread is explained', async () => {
  const root = await post(bob, roomId, 'Who has seen my umbrella?')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}/${root}`)
  const { page } = visitor
  const calls = /\/(Follow|Unfollow)Thread$/
  const thread = page.getByRole('complementary')
  const failure = thread.getByRole('alert').getByText(/\w/)
  const [follow, following] = ['Follow', 'Following'].map((name) => thread.getByRole('button', { name, exact: true }))
  for (const [button, after] of [
    [follow, following],
    [following, follow],
  ]) {
    await page.route(calls, (route) => route.fulfill(refusal))
    await button?.click()
    await failure.waitFor()
    expect(await button?.isVisible()).toBe(true)
    await page.unroute(calls)
    await button?.click()
    await after?.waitFor()
    await failure.waitFor({ state: 'detached' })
  }
})

inBrowser('people can add a room at the heading of a group only if they have the permission', async () => {
  const owner = await signInOwner()
  const groupName = roomName()
  const { group } = await owner.call(AdminRoomLayoutService.method.createRoomGroup, { name: groupName })
  const first = await newRoom(owner, [ada], { groupId: group?.id ?? '' })
  await using ofOwner = await visitAs(owner, `/chat/-/${first}`)
  const { page } = ofOwner
  await page.getByRole('button', { name: `Add a room to ${groupName}` }).click()
  const dialog = page.getByRole('dialog', { name: 'New room' })
  expect(await dialog.getByLabel('Group').locator('option:checked').textContent()).toBe(groupName)
  const name = roomName()
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: groupName }).getByRole('link', { name }).waitFor()

  await using ofAda = await visitAs(ada, `/chat/-/${first}`)
  await ofAda.page.getByRole('region', { name: groupName }).waitFor()
  expect(await ofAda.page.getByRole('button', { name: /^Add a room/ }).count()).toBe(0)
  expect([...ofOwner.pageErrors, ...ofAda.pageErrors]).toEqual([])
})

inBrowser('a draft survives a reload, and a reply links to the message it answers', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const question = `Where is the key, ${randomBytes(4).toString('hex')}?`
  await post(bob, roomId, question)
  const field = page.getByRole('textbox', { name: 'Write a message' })
  await field.fill('Begun and')
  await page.reload()
  expect(await field.inputValue()).toBe('Begun and')
  await messageWith(page, question).hover()
  await messageWith(page, question).getByRole('button', { name: 'Reply', exact: true }).click()
  await page.getByText(`Replying to ${bob.login}`).getByText(question).waitFor()
  await field.fill('Below the mat')
  await field.press('Enter')
  // Enough messages to move the question out of sight.
  for (let n = 0; n < 60; n++) await post(bob, roomId, `Thanks, ${n}`)
  await messageWith(page, 'Thanks, 59').waitFor()
  const response = await bob.call(RoomService.method.getRoomEvents, { roomId, limit: 100 })
  const reply = response.page?.events.find(
    ({ event }) => event.case === 'messagePosted' && event.value.message?.body === 'Below the mat',
  )
  await page.goto(new URL(`/chat/-/${roomId}?highlight=${reply?.id}`, page.url()).href)
  await messageWith(page, 'Below the mat').getByRole('link', { name: question }).click()
  await page.getByRole('main').getByRole('article').filter({ hasText: question }).first().waitFor()
  expect(page.url()).toContain('highlight=')
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a reply in a thread is also shown in the room if its author chooses so', async () => {
  const root = await post(bob, roomId, 'Who is in?')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}/${root}`)
  const { page } = visitor
  await page.getByLabel('Also send to the room').check()
  await page.getByRole('textbox', { name: 'Reply in thread' }).fill('Me, and I bring cake')
  await page.getByRole('textbox', { name: 'Reply in thread' }).press('Enter')
  await messageWith(page, 'Me, and I bring cake').getByText('from a thread').waitFor()
  await page.getByRole('complementary').getByText('Me, and I bring cake').waitFor()
  expect(visitor.pageErrors).toEqual([])
})

const focusedText = (page: Page) => page.evaluate<string>(`document.activeElement?.textContent?.trim() ?? ''`)

inBrowser('after a pane is closed by keyboard, the button that opened it has the focus again', async () => {
  const root = await post(ada, roomId, 'Who has a key?')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await messageWith(page, 'Who has a key?').waitFor()
  const pane = page.getByRole('complementary')
  const button = page.getByRole('button', { name: /^Notifications/ })
  await button.press('Enter')
  await pane.getByRole('heading', { name: 'Notifications' }).waitFor()
  expect(await focusedText(page)).toBe('Notifications')
  await page.keyboard.press('Escape')
  await pane.waitFor({ state: 'detached' })
  expect(await focusedText(page)).toContain('Notifications')

  const message = messageWith(page, 'Who has a key?')
  await message.focus()
  await message.getByRole('button', { name: 'Reply in thread' }).press('Enter')
  const reply = pane.getByRole('textbox', { name: 'Reply in thread' })
  await reply.fill('Begun')
  expect(page.url()).toContain(root)
  await reply.press('Space')
  await reply.pressSequentially('@ad')
  await pane.getByRole('option').first().waitFor()
  await reply.press('Escape')
  await pane.getByRole('option').first().waitFor({ state: 'detached' })
  await reply.press('Escape')
  await pane.waitFor({ state: 'detached' })
  expect(page.url()).not.toContain(root)
  expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe('Reply in thread')

  await page.getByRole('button', { name: 'Browse rooms' }).press('Enter')
  await page.getByRole('dialog', { name: 'Browse rooms' }).waitFor()
  await page.keyboard.type('no such room')
  await page.getByText('No rooms found.').waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a failure to start a conversation from the switcher is explained', async () => {
  const fay = await newPerson('fay')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await page.route('**/StartDM', (route) => route.fulfill(refusal))
  await page.keyboard.press('Control+k')
  await page.keyboard.type(fay.login)
  await page.getByRole('option', { name: fay.login, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('alert').getByText(/\w/).waitFor()
  await page.unroute('**/StartDM')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: fay.login }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

inBrowser(
  'the switcher lists unread rooms first, then the rooms visited most recently, and marks rooms not joined',
  async () => {
    const [owner, gil] = await Promise.all([signInOwner(), newPerson('gil')])
    const names = Array.from({ length: 4 }, roomName)
    const [open = '', before = '', unread = ''] = await Promise.all(
      names.map((name, at) => newRoom(owner, at < 3 ? [gil] : [], { name })),
    )
    await using visitor = await visitAs(gil, `/chat/-/${before}`)
    const { page } = visitor
    await page.getByRole('textbox', { name: 'Write a message' }).waitFor()
    await page.getByRole('navigation', { name: 'Rooms' }).locator(`a[href$="${open}"]`).click()
    await post(owner, unread, 'Come here')
    await page
      .getByRole('navigation', { name: 'Rooms' })
      .getByRole('link', { name: `${names[2]} unread` })
      .waitFor()
    await page.keyboard.press('Control+k')
    const options = page.getByRole('dialog').getByRole('option')
    await options.first().waitFor()
    // Rooms that everybody is in may be unread as well.
    const listed = (await options.allInnerTexts()).filter((text) => names.some((name) => text.includes(name)))
    expect(listed.slice(0, 2)).toEqual([names[2], names[1]].map((name) => expect.stringContaining(name ?? '')))
    await page.keyboard.type(names[3] ?? '')
    await options.filter({ hasText: 'not joined' }).waitFor()
    expect(visitor.pageErrors).toEqual([])
  },
)

inBrowser('after joining a room on a phone, the focus stays in the room', async () => {
  const open = await newRoom(await signInOwner(), [])
  await using visitor = await visitAs(bob, `/chat/-/${open}`, { hasTouch: true, isMobile: true })
  const { page } = visitor
  await page.getByRole('button', { name: 'Join room' }).click()
  await page.getByRole('textbox', { name: 'Write a message' }).waitFor()
  expect(await page.evaluate('document.activeElement?.className')).toMatch(/^room\b/)
})

inBrowser('an open list of members is updated when people join and leave', async () => {
  const [lively, emil] = [await newRoom(await signInOwner(), [ada]), await newPerson('emil')]
  await using visitor = await visitAs(ada, `/chat/-/${lively}`)
  const { page } = visitor
  await page.getByRole('button', { name: 'About this room' }).click()
  const pane = page.getByRole('complementary')
  await pane.getByRole('heading', { name: '2 members' }).waitFor()
  await emil.call(RoomService.method.joinRoom, { roomId: lively })
  await pane.getByRole('button', { name: emil.login }).waitFor()
  await emil.call(RoomService.method.leaveRoom, { roomId: lively })
  await pane.getByRole('heading', { name: '2 members' }).waitFor()
  expect(await pane.getByRole('button', { name: emil.login }).count()).toBe(0)
  expect(visitor.pageErrors).toEqual([])
})

inBrowser(
  'a direct message shows the partner and their presence; a thread shows why its reader cannot reply',
  async () => {
    const owner = await signInOwner()
    const name = roomName()
    const quiet = await newRoom(owner, [ada, bob], { name })
    const root = await post(bob, quiet, 'Read this')
    const { room } = await ada.call(RoomService.method.startDM, { participantIds: [bob.userId] })
    await post(ada, room?.id ?? '', 'Good morning')
    await bob.call(MyAccountService.method.updatePresence, { status: PresenceStatus.AWAY, userSelected: true })
    await using visitor = await visitAs(ada, `/chat/-/${quiet}/${root}`)
    const { page } = visitor
    await page.getByPlaceholder(`Message #${name}`).waitFor()
    const toBob = page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: `${bob.login} Away` })
    await toBob.waitFor()
    await bob.call(MyAccountService.method.updatePresence, { status: PresenceStatus.ONLINE, userSelected: true })
    await toBob.waitFor({ state: 'detached' })

    const thread = page.getByRole('complementary')
    await thread.getByRole('textbox', { name: 'Reply in thread' }).waitFor()
    await owner.call(AdminPermissionService.method.setUserPermission, {
      ...{ userId: ada.userId, permission: 'message.post-in-thread', decision: PermissionDecision.DENY },
      scope: { kind: PermissionScopeKind.ROOM, id: quiet },
    })
    await thread.getByText('You can read this room, but not post in it.').waitFor()
    await page.locator(`nav a[href$="${room?.id}"]`).click()
    await page.getByPlaceholder(`Message ${bob.login}`).waitFor()
    await page.getByRole('main').getByText('Online').waitFor()
    await messageWith(page, 'Good morning').waitFor()
    // Both participants know that the conversation exists, so its creation is not shown.
    expect(
      await page
        .getByRole('main')
        .getByText(/created this room|joined/)
        .count(),
    ).toBe(0)
    expect(visitor.pageErrors).toEqual([])
  },
)

inBrowser('others see that a user chooses do-not-disturb, and then that the account was deleted', async () => {
  const dora = await newPerson('dora')
  await dora.call(RoomService.method.joinRoom, { roomId })
  await post(dora, roomId, 'I leave you')
  await using ofDora = await visitAs(dora, `/chat/-/${roomId}`)
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  await using inGerman = await visitAs(bob, `/chat/-/${roomId}`, { locale: 'de-DE' })
  await messageWith(ofAda.page, 'I leave you').waitFor()
  await messageWith(inGerman.page, 'I leave you').waitFor()
  await ofAda.page.getByRole('button', { name: 'About this room' }).click()
  await ofDora.page.getByRole('button', { name: 'Settings' }).click()
  const dialog = ofDora.page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Status' }).click()
  await dialog.getByLabel('Presence').selectOption('Do not disturb')
  await ofAda.page
    .getByRole('complementary')
    .getByRole('button', { name: `${dora.login} Do not disturb` })
    .waitFor()

  const otherTab = await ofDora.page.context().newPage()
  await otherTab.goto(ofDora.page.url())
  await messageWith(otherTab, 'I leave you').waitFor()
  await dialog.getByRole('button', { name: 'Account', exact: true }).click()
  await dialog.getByLabel(`Type ${dora.login} to confirm`).fill(dora.login)
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await ofDora.page.getByRole('heading', { name: /Sign in/ }).waitFor()
  for (const page of [ofDora.page, otherTab]) await page.getByText('Your account has been deleted.').waitFor()
  await messageWith(ofAda.page, 'This message was deleted.').first().waitFor()
  await ofAda.page.getByRole('main').getByRole('button', { name: 'Deleted user' }).waitFor()
  await inGerman.page.getByRole('main').getByRole('button', { name: 'Gelöschtes Konto' }).waitFor()

  await signInAt(ofDora.page, bob)
  await ofDora.page.getByRole('button', { name: 'Browse rooms' }).click()
})
