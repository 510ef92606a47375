import { randomBytes } from 'node:crypto'
import { expect } from '@jest/globals'
import { MessageService, RoomService } from '@parley/contracts/api'
import { newPerson, theOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, useBrowser, visitAs } from '../src/web-client.ts'

let ada: Person
let bob: Person
let roomId: string

useBrowser('more of rooms', async () => {
  ;[ada, bob] = await Promise.all([newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(await theOwner(), [ada, bob])
})

inBrowser('a conversation of several people is started with the keyboard only', async () => {
  const cora = await newPerson('cora')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await page.keyboard.press('Control+k')
  await page.keyboard.type('New direct')
  await page.getByRole('option', { name: 'New direct message' }).waitFor()
  await page.keyboard.press('Enter')
  const field = page.getByRole('combobox', { name: 'Name of a person' })
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
  expect(visitor.complaints).toEqual([])
})

inBrowser('followed threads are listed, with their new replies', async () => {
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

inBrowser('drafts are kept, and a reply links to its message', async () => {
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
  await page.getByText(`Replying to ${bob.login}`).waitFor()
  await field.fill('Below the mat')
  await field.press('Enter')
  // Far enough away to be out of sight.
  for (let n = 0; n < 60; n++) await post(bob, roomId, `Thanks, ${n}`)
  await messageWith(page, 'Thanks, 59').waitFor()
  const answer = await bob.call(RoomService.method.getRoomEvents, { roomId, limit: 100 })
  const answering = answer.page?.events.find(
    ({ event }) => event.case === 'messagePosted' && event.value.message?.body === 'Below the mat',
  )
  await page.goto(new URL(`/chat/-/${roomId}?highlight=${answering?.id}`, page.url()).href)
  await messageWith(page, 'Below the mat').getByRole('link', { name: question }).click()
  await page.getByRole('main').getByRole('article').filter({ hasText: question }).first().waitFor()
  expect(page.url()).toContain('highlight=')
  expect(visitor.complaints).toEqual([])
})

inBrowser('a reply is shown in the room too where its author wants that', async () => {
  const root = await post(bob, roomId, 'Who is in?')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}/${root}`)
  const { page } = visitor
  await page.getByLabel('Also send to the room').check()
  await page.getByRole('textbox', { name: 'Reply in thread' }).fill('Me, and I bring cake')
  await page.getByRole('textbox', { name: 'Reply in thread' }).press('Enter')
  await messageWith(page, 'Me, and I bring cake').getByText('from a thread').waitFor()
  await page.getByRole('complementary').getByText('Me, and I bring cake').waitFor()
  expect(visitor.complaints).toEqual([])
})

inBrowser('somebody is not to be disturbed, and then deletes their account', async () => {
  const dora = await newPerson('dora')
  await dora.call(RoomService.method.joinRoom, { roomId })
  await post(dora, roomId, 'I leave you')
  await using ofDora = await visitAs(dora, `/chat/-/${roomId}`)
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  await messageWith(ofAda.page, 'I leave you').waitFor()
  await ofAda.page.getByRole('button', { name: 'About this room' }).click()
  await ofDora.page.getByRole('button', { name: 'Settings' }).click()
  const dialog = ofDora.page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Status' }).click()
  await dialog.getByLabel('Presence').selectOption('Do not disturb')
  await ofAda.page
    .getByRole('complementary')
    .getByRole('button', { name: `${dora.login} Do not disturb` })
    .waitFor()

  await dialog.getByRole('button', { name: 'Account', exact: true }).click()
  await dialog.getByLabel(`Type ${dora.login} to confirm`).fill(dora.login)
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await ofDora.page.getByRole('heading', { name: /Sign in/ }).waitFor()
  await messageWith(ofAda.page, 'This message was deleted.').first().waitFor()
})
