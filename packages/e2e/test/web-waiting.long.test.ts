import { expect } from '@jest/globals'
import { RoomService } from '@parley/contracts/api'
import type { Page } from 'playwright-core'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post, roomName } from '../src/rooms.ts'
import { inBrowser, messageWith, refusal, say, useBrowser, visitAs } from '../src/web-client.ts'

let ada: Person
let roomId: string
let otherId: string
const name = roomName()

useBrowser('messages that wait', async () => {
  const owner = await signInOwner()
  ada = await newPerson('ada')
  ;[roomId, otherId] = await Promise.all([newRoom(owner, [ada], { name }), newRoom(owner, [ada])])
})

const linkTo = (page: Page, id: string) => page.getByRole('navigation', { name: 'Rooms' }).locator(`a[href$="${id}"]`)

const waits = (page: Page) => page.getByText('Will be sent when the uploads finish.')

/**
 * Holds calls of a method until the returned function is called; then they continue or, if `isRefused`, are refused.
 */
async function holdBack(page: Page, method: string, isRefused = false): Promise<() => void> {
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(`**/${method}`, async (route) => {
    await released
    await (isRefused ? route.fulfill(refusal) : route.continue())
  })
  return release
}

const attach = (page: Page) =>
  page
    .getByLabel('Attach files')
    .setInputFiles([{ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('the plan') }])

inBrowser('a reply that waits for its file is still a reply after a reply in another room was begun', async () => {
  await Promise.all([post(ada, roomId, 'Which way?'), post(ada, otherId, 'Who cooks?')])
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const release = await holdBack(page, 'CompleteUpload')
  const reply = async (body: string) => {
    await messageWith(page, body).hover()
    await messageWith(page, body).getByRole('button', { name: 'Reply', exact: true }).click()
    await page.getByText(`Replying to ${ada.login}`).waitFor()
  }
  await reply('Which way?')
  await attach(page)
  await say(page, 'North')
  await waits(page).waitFor()
  await linkTo(page, otherId).click()
  await reply('Who cooks?')
  await linkTo(page, roomId).click()
  await waits(page).waitFor()
  await page.getByText(`Replying to ${ada.login}`).getByText('Which way?').waitFor()
  release()
  await messageWith(page, 'North').getByText('Which way?').waitFor()
  await page.getByText('Replying to').waitFor({ state: 'detached' })
  await linkTo(page, otherId).click()
  await page.getByText(`Replying to ${ada.login}`).getByText('Who cooks?').waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a refused file of a message in another room is reported above the open room', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const release = await holdBack(page, 'CreateUpload', true)
  await attach(page)
  await say(page, 'South')
  await waits(page).waitFor()
  await linkTo(page, otherId).click()
  await waits(page).waitFor({ state: 'detached' })
  const report = page.getByRole('main').getByRole('link', { name: `A message in #${name} was not sent.` })
  expect(await report.count()).toBe(0)
  release()
  await report.waitFor()
  await linkTo(page, roomId).getByText('not sent').waitFor()
  await report.click()
  await report.waitFor({ state: 'detached' })
  await page.getByRole('list', { name: 'Files to send' }).getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Remove plan.txt' }).click()
  await messageWith(page, 'South').waitFor()
  await linkTo(page, otherId).click()
  await messageWith(page, 'South').waitFor({ state: 'detached' })
  expect(await report.count()).toBe(0)
})

inBrowser('an emoji makes a waiting message a draft again, and a draft that is too long is reported', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const release = await holdBack(page, 'CompleteUpload')
  await attach(page)
  await say(page, 'x'.repeat(10_000))
  await waits(page).waitFor()
  await page.getByRole('button', { name: 'Insert an emoji' }).click()
  await page.getByRole('combobox', { name: 'Find an emoji' }).pressSequentially('unicorn')
  await page.getByRole('option', { name: 'unicorn' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('too long').waitFor()
  await waits(page).waitFor({ state: 'detached' })
  const uploaded = page.waitForResponse('**/CompleteUpload')
  release()
  await (await uploaded).finished()
  await page.getByRole('textbox', { name: 'Write a message' }).fill('short')
  await page.getByRole('textbox', { name: 'Write a message' }).press('Enter')
  await messageWith(page, 'short').getByRole('link', { name: 'plan.txt' }).waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('what is typed while an edit is saved stays in its field', async () => {
  await post(ada, roomId, 'Tea')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const release = await holdBack(page, 'UpdateMessage')
  await messageWith(page, 'Tea').waitFor()
  await page.getByRole('textbox', { name: 'Write a message' }).press('ArrowUp')
  const field = page.getByRole('textbox', { name: 'Edit message' })
  await field.press('End')
  await field.pressSequentially(' for')
  await Promise.all([page.waitForRequest('**/UpdateMessage'), field.press('Enter')])
  await field.pressSequentially(' two')
  const saved = page.waitForResponse('**/UpdateMessage')
  release()
  await (await saved).finished()
  // Two frames, so that the response has been rendered.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  expect(await field.inputValue()).toBe('Tea for two')
  await field.press('Enter')
  await messageWith(page, 'Tea for two').getByText('edited').waitFor()
  await field.waitFor({ state: 'detached' })
  const { page: read } = await ada.call(RoomService.method.getRoomEvents, { roomId })
  const bodies = read?.events.map(({ event }) => (event.case === 'messagePosted' ? event.value.message?.body : ''))
  expect(bodies).toContain('Tea for two')
  expect(visitor.pageErrors).toEqual([])
})
