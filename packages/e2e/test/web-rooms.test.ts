import { randomBytes } from 'node:crypto'
import { expect } from '@jest/globals'
import { RoomService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, say, useBrowser, visitAs } from '../src/web-client.ts'

let owner: Person
let ada: Person
let bob: Person
let roomId: string

useBrowser('rooms', async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(owner, [ada, bob])
})

inBrowser('a room is created, found by somebody else, joined and left', async () => {
  const name = `plans-${randomBytes(4).toString('hex')}`
  await using ofOwner = await visitAs(owner)
  const { page } = ofOwner
  await page.getByRole('button', { name: 'Browse rooms' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New room' }).click()
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('dialog').getByLabel('Description').fill('What comes next')
  await page.getByRole('dialog').getByRole('button', { name: 'Create room' }).click()
  await page.getByRole('heading', { name }).waitFor()
  await page.getByText('No messages yet.').waitFor()
  await say(page, 'Who is in?')
  await page.getByText('No messages yet.').waitFor({ state: 'detached' })

  await using ofBob = await visitAs(bob)
  await ofBob.page.getByRole('button', { name: 'Browse rooms' }).click()
  await ofBob.page.getByLabel('Name or description').fill(name)
  await ofBob.page.getByRole('button', { name: `Join ${name}` }).click()
  await messageWith(ofBob.page, 'Who is in?').waitFor()
  await page.getByText(`${bob.login} joined`).waitFor()

  await ofBob.page.getByRole('button', { name: 'About this room' }).click()
  const about = ofBob.page.getByRole('complementary')
  await about.getByText('What comes next').waitFor()
  await about.getByRole('heading', { name: '2 members' }).waitFor()
  // A report of presence may be lost while Redis is slow; the page repeats it after 30 seconds.
  await about.getByRole('button', { name: `${bob.login} Online` }).waitFor({ timeout: 60_000 })
  await about.getByLabel('Notify me about').selectOption('Nothing')
  await about.getByRole('button', { name: 'Leave room' }).click()
  await page.getByText(`${bob.login} left`).waitFor()
  // A request about the room that arrives after Bob has left is refused with status 403.
  const pageErrors = ofBob.pageErrors.filter((line) => !line.includes('status of 403'))
  expect([...ofOwner.pageErrors, ...pageErrors]).toEqual([])
})

inBrowser('a direct message is started from the switcher, and its notification leads to it', async () => {
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  await using ofBob = await visitAs(bob, `/chat/-/${roomId}`)
  await ofAda.page.keyboard.press('Control+k')
  // Without waiting, like an experienced keyboard user.
  await Promise.all(['Escape', 'Control+k'].map((key) => ofAda.page.keyboard.press(key)))
  await ofAda.page.keyboard.type(bob.login)
  await ofAda.page.getByRole('option', { name: bob.login }).first().waitFor()
  await ofAda.page.keyboard.press('Enter')
  await ofAda.page.getByRole('heading', { name: bob.login }).waitFor()
  await say(ofAda.page, 'Psst')

  // After other suites, especially an import, notifications may have a backlog.
  await ofBob.page.getByRole('button', { name: /Notifications 1/ }).click({ timeout: 90_000 })
  await ofBob.page.getByRole('link', { name: `${ada.login} wrote to you` }).click()
  await messageWith(ofBob.page, 'Psst').waitFor()
  await ofBob.page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
  expect([...ofAda.pageErrors, ...ofBob.pageErrors]).toEqual([])
})

inBrowser('a link opens the room at an old message, and one click leads to the newest', async () => {
  const longRoom = await newRoom(owner, [ada])
  const first = await post(owner, longRoom, 'The very first')
  for (let at = 0; at < 60; at += 20)
    await Promise.all(Array.from({ length: 20 }, (_, next) => post(owner, longRoom, `Message ${at + next}`)))
  await using visitor = await visitAs(ada, `/chat/-/${longRoom}?highlight=${first}`)
  const { page } = visitor
  await messageWith(page, 'The very first').waitFor()
  await post(owner, longRoom, 'And the latest')
  await page.getByRole('button', { name: 'Jump to newest' }).click()
  await messageWith(page, 'And the latest').waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('settings change display name, appearance and language', async () => {
  const cora = await newPerson('cora')
  await owner.call(RoomService.method.addMember, { roomId, userId: cora.userId })
  await using visitor = await visitAs(cora, `/chat/-/${roomId}`)
  const { page } = visitor
  await page.getByRole('button', { name: 'Settings' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Display name').fill('Cora the Great')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('navigation', { name: 'Rooms' }).getByText('Cora the Great').waitFor()
  await dialog.getByRole('button', { name: 'Status' }).click()
  await dialog.getByLabel('What are you doing?').fill('In a tunnel')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await dialog.getByRole('status').getByText('Saved.').waitFor()
  await dialog.getByRole('button', { name: 'Appearance' }).click()
  await dialog.getByLabel('More contrast').check()
  expect(await page.locator('html').getAttribute('data-contrast')).toBe('more')
  await dialog.getByLabel('More contrast').uncheck()
  expect(await page.locator('html').getAttribute('data-contrast')).toBeNull()
  await dialog.getByLabel('Theme').selectOption('Dark')
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
  await dialog.getByLabel('Language').selectOption('Deutsch')
  // The settings stay open.
  await dialog.getByRole('heading', { name: 'Einstellungen' }).waitFor()
  await eventually(async () => expect(await page.evaluate('document.activeElement.value')).toBe('1'))
  await dialog.getByLabel('Sprache').and(page.locator(':focus')).waitFor()
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
  expect(await page.locator('html').getAttribute('lang')).toBe('de')
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: 'Nachricht schreiben' }).waitFor()
  await post(bob, roomId, 'Hallo')
  await messageWith(page, 'Hallo').waitFor()
  await page.reload()
  await page.getByRole('textbox', { name: 'Nachricht schreiben' }).waitFor()
  expect(visitor.pageErrors).toEqual([])
})
