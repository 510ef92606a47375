import { expect } from '@jest/globals'
import { MessageService, NotificationService, RoomService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import type { Page } from 'playwright-core'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, useBrowser, visitAs } from '../src/web-client.ts'

let owner: Person
let ada: Person
let bob: Person
let roomId: string
let otherId: string

useBrowser('notifications', async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
  const both = [ada, bob]
  ;[roomId, otherId] = await Promise.all([newRoom(owner, both), newRoom(owner, both)])
})

/** After other suites the service may still be busy. */
const waitForPending = (page: Page, count: number) =>
  page
    .getByRole('button', { name: count === 0 ? 'Notifications' : `Notifications ${count}`, exact: true })
    .waitFor({ timeout: 90_000 })

inBrowser('notifications are dismissed singly or all at once, in every browser of a person', async () => {
  for (const what of ['first', 'second', 'third']) await post(bob, roomId, `The ${what} thing, @${ada.login}`)
  await using visitor = await visitAs(ada, `/chat/-/${otherId}`)
  await using elsewhere = await visitAs(ada, `/chat/-/${otherId}`)
  const { page } = visitor
  for (const { page: one } of [visitor, elsewhere]) await waitForPending(one, 3)
  const inRoom = page.locator(`nav a[href$="${roomId}"]`)
  await inRoom.getByText('3 unread').waitFor()
  await page.getByRole('button', { name: /^Notifications/ }).click()
  const pane = page.getByRole('complementary', { name: 'Notifications' })
  await pane
    .getByRole('button', { name: `Dismiss: ${bob.login} mentioned you` })
    .first()
    .click()
  for (const { page: one } of [visitor, elsewhere]) await waitForPending(one, 2)
  await inRoom.getByText('2 unread').waitFor()
  await pane.getByRole('button', { name: 'Dismiss all' }).click()
  await pane.getByText('No notifications.').waitFor()
  for (const { page: one } of [visitor, elsewhere]) await waitForPending(one, 0)
  // No notification is pending, but there are unread messages.
  expect((await inRoom.textContent())?.trim()).toMatch(/\D unread$/)
  expect([...visitor.pageErrors, ...elsewhere.pageErrors]).toEqual([])
})

inBrowser('notifications of a direct message show no room name', async () => {
  const { room } = await bob.call(RoomService.method.startDM, { participantIds: [ada.userId] })
  const asked = await post(ada, room?.id ?? '', 'When do we leave?')
  await post(bob, room?.id ?? '', `Ask @${ada.login}, who knows`)
  await bob.call(MessageService.method.createMessage, { roomId: room?.id ?? '', body: 'At nine', inReplyTo: asked })
  await using visitor = await visitAs(ada, `/chat/-/${otherId}`)
  const { page } = visitor
  await waitForPending(page, 2)
  await page.getByRole('button', { name: /^Notifications/ }).click()
  const pane = page.getByRole('complementary', { name: 'Notifications' })
  for (const did of ['mentioned you', 'replied to you'])
    await pane.getByText(`${bob.login} ${did} in a direct message`, { exact: true }).waitFor()
  await pane.getByRole('button', { name: 'Dismiss all' }).click()
  await waitForPending(page, 0)
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('muting the whole server stops notifications until it is undone', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${otherId}`)
  const { page } = visitor
  await page.getByRole('button', { name: 'Settings' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Notifications', exact: true }).click()
  const choose = async (level: string) => {
    const saved = page.waitForResponse('**/UpdateServerNotificationPreference')
    await dialog.getByLabel('Notify me about').selectOption(level)
    expect((await saved).status()).toBe(200)
  }
  await choose('Nothing')
  await post(bob, roomId, `Only one of you hears this, @${ada.login} and @${owner.login}`)
  // The effective level is looked up when the event of a message is handled, some time after the message was posted.
  await eventually(async () => {
    const { notifications } = await owner.call(NotificationService.method.listNotifications, {})
    return notifications.some(({ actor }) => actor?.id === bob.userId)
  })
  await choose('Mentions, replies and direct messages')
  await post(bob, roomId, `But this, @${ada.login}`)
  await waitForPending(page, 1)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Notifications 1' }).click()
  await page.getByRole('link', { name: `${bob.login} mentioned you` }).click()
  await messageWith(page, 'But this').waitFor()
  await waitForPending(page, 0)
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a link opens a thread at an old reply, and one click leads to the newest', async () => {
  const root = await post(ada, roomId, 'Let us count')
  const reply = async (body: string) => {
    const { message } = await bob.call(MessageService.method.createMessage, { roomId, threadRootEventId: root, body })
    return message?.id ?? ''
  }
  const first = await reply('Number one')
  for (let n = 0; n < 100; n++) await reply(`And then ${n}`)
  await using visitor = await visitAs(ada, `/chat/-/${roomId}/${root}?highlight=${first}`)
  const thread = visitor.page.getByRole('complementary')
  await thread.getByText('Number one').waitFor()
  await thread.getByRole('button', { name: 'Jump to newest' }).click()
  await thread.getByText('And then 99').waitFor()
  expect(visitor.pageErrors).toEqual([])
})
