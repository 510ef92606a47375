import { expect } from '@jest/globals'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, say, useBrowser, visitAs } from '../src/web-client.ts'

let ada: Person
let bob: Person
let roomId: string

useBrowser('unfinished messages', async () => {
  ;[ada, bob] = await Promise.all([newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(await signInOwner(), [ada, bob])
})

inBrowser('signing out asks for confirmation only if something is unsent', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const field = page.getByRole('textbox', { name: 'Write a message' })
  const signOut = page.getByRole('button', { name: 'Sign out', exact: true })
  const question = page.getByRole('dialog', { name: 'Sign out?' })
  await page.route('**/CreateMessage', (route) => route.abort())
  await say(page, 'Written to nobody')
  await field.fill('Begun')
  await page
    .getByLabel('Attach files')
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('one') })
  await signOut.click()
  await question.getByText('One message has not been sent.').waitFor()
  await question.getByText('One draft has not been sent.').waitFor()
  await question.getByText('One attached file has not been sent and will be lost.').waitFor()
  await question.getByRole('button', { name: 'Stay signed in' }).click()
  expect(await field.inputValue()).toBe('Begun')

  await page.unroute('**/CreateMessage')
  await page.reload()
  await field.fill('')
  await messageWith(page, 'Written to nobody').and(page.locator(':not(.pale)')).waitFor()
  await signOut.click()
  await page.getByRole('heading', { name: /Sign in/ }).waitFor()
  expect(await question.count()).toBe(0)
})

inBrowser('a message sent while its room loads is shown at once', async () => {
  await post(bob, roomId, 'From before')
  await using visitor = await visitAs(ada, '/')
  const { page } = visitor
  const { promise: mayLoad, resolve: letLoad } = Promise.withResolvers<void>()
  await page.route('**/GetRoomEvents*', async (route) => {
    await mayLoad
    await route.continue()
  })
  await page.goto(new URL(`/chat/-/${roomId}`, page.url()).href)
  await say(page, 'Before I have read anything')
  await messageWith(page, 'Before I have read anything').waitFor()
  expect(await messageWith(page, 'From before').count()).toBe(0)
  letLoad()
  await messageWith(page, 'From before').waitFor()
  expect(await messageWith(page, 'Before I have read anything').count()).toBe(1)
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a message written offline is sent, by one request, when the network is back', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await page.getByRole('textbox', { name: 'Write a message' }).waitFor()
  let tries = 0
  page.on('request', (request) => request.url().endsWith('/CreateMessage') && tries++)
  await page.context().setOffline(true)
  await say(page, 'From the tunnel')
  await page.getByText('One message will be sent later.').waitFor()
  expect(tries).toBe(0)
  await page.context().setOffline(false)
  await page.getByText('One message will be sent later.').waitFor({ state: 'detached' })
  await messageWith(page, 'From the tunnel').and(page.locator(':not(.pale)')).waitFor()
  expect(tries).toBe(1)
})

inBrowser('an edited message is marked after its last word', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await say(page, 'Tea')
  await messageWith(page, 'Tea').and(page.locator(':not(.pale)')).waitFor()
  await page.getByRole('textbox', { name: 'Write a message' }).press('ArrowUp')
  const editor = page.getByRole('textbox', { name: 'Edit message' })
  await editor.fill('Tea for two\n\nand two for tea')
  await editor.press('Enter')
  const message = messageWith(page, 'and two for tea')
  const [words, note] = await Promise.all(
    [message.getByText('and two for tea', { exact: true }), message.getByText('edited')].map((part) =>
      part.boundingBox(),
    ),
  )
  expect(note?.x).toBeGreaterThan((words?.x ?? 0) + (words?.width ?? 0) - 1)
  expect(note?.y).toBeLessThan((words?.y ?? 0) + (words?.height ?? 0))
})
