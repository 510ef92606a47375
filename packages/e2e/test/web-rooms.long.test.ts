import { expect } from '@jest/globals'
import { MessageService } from '@parley/contracts/api'
import { newPerson, theOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, useBrowser, signInAt, visit } from '../src/web-client.ts'

let ada: Person
let bob: Person
let roomId: string

useBrowser('more of rooms', async () => {
  ;[ada, bob] = await Promise.all([newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(await theOwner(), [ada, bob])
})

inBrowser('a conversation of several is begun by keyboard alone', async () => {
  const cora = await newPerson('cora')
  await using visitor = await visit(`/chat/-/${roomId}`)
  const { page } = visitor
  await signInAt(page, ada)
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

inBrowser('threads one follows are listed, with what is new in them', async () => {
  const root = await post(ada, roomId, 'Where do we eat?')
  await using visitor = await visit(`/chat/-/${roomId}/${root}`)
  const { page } = visitor
  await signInAt(page, ada)
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
