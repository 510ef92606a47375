import { randomBytes } from 'node:crypto'
import { expect } from '@jest/globals'
import {
  AdminPermissionService,
  AdminRoomLayoutService,
  PermissionDecision,
  PermissionScopeKind,
} from '@parley/contracts/admin'
import { MessageService, RoomService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import type { Page } from 'playwright-core'
import { findCutOffControls } from '../src/accessibility.ts'
import { sendFile } from '../src/files.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { lobbyId, newRoom, post, roomName } from '../src/rooms.ts'
import { fillSignIn, inBrowser, messageWith, say, signInAt, useBrowser, visitAs } from '../src/web-client.ts'

let owner: Person
let ada: Person
let bob: Person
let roomId: string
let otherId: string
const otherName = roomName()

useBrowser('a day', async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
  ;[roomId, otherId] = await Promise.all([newRoom(owner, [ada, bob]), newRoom(owner, [ada, bob], { name: otherName })])
})

const field = (page: Page) => page.getByRole('textbox', { name: 'Write a message' })
const inSidebar = (page: Page, id: string) =>
  page.getByRole('navigation', { name: 'Rooms' }).locator(`a[href$="${id}"]`)

inBrowser('each room and thread keeps its own draft, and room names are completed', async () => {
  const root = await post(bob, roomId, 'Where do we meet?')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}/${root}`)
  const { page } = visitor
  const inThread = page.getByRole('textbox', { name: 'Reply in thread' })
  await inThread.fill('Begun in the thread')
  await field(page).fill('Begun here')
  await inSidebar(page, otherId).click()
  await page.getByRole('heading', { name: otherName }).waitFor()
  expect(await field(page).inputValue()).toBe('')
  await field(page).fill('Begun there')
  await page.reload()
  expect(await field(page).inputValue()).toBe('Begun there')
  await page.goto(new URL(`/chat/-/${roomId}/${root}`, page.url()).href)
  expect([await field(page).inputValue(), await inThread.inputValue()]).toEqual(['Begun here', 'Begun in the thread'])

  await field(page).fill('')
  await field(page).pressSequentially(`See #${otherName.slice(0, -3)}`)
  await page.getByRole('option', { name: otherName }).waitFor()
  await field(page).press('Enter')
  expect(await field(page).inputValue()).toBe(`See #${otherName} `)
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('scrolling up loads all messages back to the first', async () => {
  const long = await newRoom(owner, [ada])
  await post(owner, long, 'The very first')
  for (let at = 0; at < 160; at += 20)
    await Promise.all(Array.from({ length: 20 }, (_, next) => post(owner, long, `Message ${at + next}`)))
  await post(owner, long, 'The latest')
  await using visitor = await visitAs(ada, `/chat/-/${long}`)
  const { page } = visitor
  await messageWith(page, 'The latest').hover()
  await eventually(async () => {
    await page.mouse.wheel(0, -2_000)
    expect(await messageWith(page, 'The very first').isVisible()).toBe(true)
  })
  await Promise.all([post(owner, long, 'Said below'), post(owner, long, 'Said below, too')])
  await page.getByRole('button', { name: 'Jump to newest 2 new' }).click()
  await messageWith(page, 'Said below, too').waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser(
  'after a long absence a button leads to the first new message, and the arrow keys continue from there',
  async () => {
    const long = await newRoom(owner, [ada])
    await post(owner, long, 'Known before')
    await ada.call(RoomService.method.markRoomAsRead, { roomId: long })
    for (let at = 0; at < 120; at++) await post(owner, long, `While away ${at},`)
    await using visitor = await visitAs(ada, `/chat/-/${long}`)
    const { page } = visitor
    await messageWith(page, 'While away 119,').waitFor()
    await page.getByRole('button', { name: /^New messages since/ }).click()
    await messageWith(page, 'While away 0,').waitFor()
    await page.getByText('New messages', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /^New messages since/ }).count()).toBe(0)

    await messageWith(page, 'While away 3,').focus()
    await page.keyboard.press('ArrowUp')
    expect(await page.evaluate('document.activeElement.textContent')).toContain('While away 2,')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate('document.activeElement.textContent')).toContain('While away 4,')
    await page.getByRole('button', { name: 'Jump to newest' }).click()
    await messageWith(page, 'While away 119,').waitFor()
    expect(visitor.pageErrors).toEqual([])
  },
)

inBrowser('keyboard shortcuts lead to unread messages, and are listed', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await field(page).waitFor()
  await post(bob, otherId, 'Over here')
  await inSidebar(page, otherId).getByText('unread').waitFor({ state: 'attached' })
  // Universal rooms may be unread too.
  await eventually(async () => {
    await page.keyboard.press('Alt+ArrowDown')
    expect(page.url()).toContain(otherId)
  })
  await messageWith(page, 'Over here').waitFor()
  await page.keyboard.press('Control+/')
  const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await shortcuts.getByText('Next or previous unread room').waitFor()
  await page.keyboard.press('Escape')
  await shortcuts.waitFor({ state: 'hidden' })
  const opener = page.getByRole('button', { name: 'Keyboard shortcuts' })
  // In the field of the room, which is focused at first, `?` is a character.
  expect(await opener.getAttribute('title')).toBe('Keyboard shortcuts (Ctrl /)')
  await opener.click()
  await shortcuts.getByText('Show this list').waitFor()
  await page.keyboard.press('Escape')
  // A question mark is typed in a field, and shows the list elsewhere.
  await field(page).press('?')
  expect(await field(page).inputValue()).toBe('?')
  await field(page).fill('')
  await messageWith(page, 'Over here').press('?')
  await shortcuts.waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('on a Mac, shortcuts are shown with its key names', async () => {
  const userAgent = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15'
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`, { userAgent })
  const { page } = visitor
  await page.getByRole('button', { name: 'Find' }).getByText('⌘ K').waitFor()
  await page.keyboard.press('Meta+/')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('⌥ ↓').waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a muted room is not marked as unread, even after a reload', async () => {
  const quiet = await newRoom(owner, [ada, bob])
  await using visitor = await visitAs(ada, `/chat/-/${quiet}`)
  const { page } = visitor
  await page.getByRole('button', { name: 'About this room' }).click()
  const level = page.getByLabel('Notify me about')
  const kept = page.waitForResponse('**/UpdateRoomNotificationPreference')
  await level.selectOption('Nothing')
  await kept
  await page.goto(new URL(`/chat/-/${roomId}`, page.url()).href)
  await field(page).waitFor()
  await post(bob, quiet, 'Nobody listens')
  await post(bob, otherId, 'Somebody does')
  await inSidebar(page, otherId).getByText('unread').waitFor({ state: 'attached' })
  expect(await inSidebar(page, quiet).getByText('unread').count()).toBe(0)
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a refused message stays with its reason, and can be sent again or discarded', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const target = {
    userId: ada.userId,
    permission: 'message.post',
    scope: { kind: PermissionScopeKind.ROOM, id: roomId },
  }
  const decide = (decision: PermissionDecision) =>
    owner.call(AdminPermissionService.method.setUserPermission, { ...target, decision })
  for (const body of ['Refused for good', 'Refused for now']) await sendRefusedMessage(page, body, decide)
  const unsent = (body: string) => page.getByRole('main').getByRole('article').filter({ hasText: body })
  await unsent('Refused for good').getByRole('button', { name: 'Discard' }).click()
  await unsent('Refused for good').waitFor({ state: 'detached' })
  await unsent('Refused for now').getByRole('button', { name: 'Send again' }).click()
  await using other = await visitAs(bob, `/chat/-/${roomId}`)
  await messageWith(other.page, 'Refused for now').waitFor()
  expect(await messageWith(other.page, 'Refused for good').count()).toBe(0)
})

async function sendRefusedMessage(
  page: Page,
  body: string,
  decide: (decision: PermissionDecision) => Promise<unknown>,
) {
  await field(page).waitFor()
  let release: () => void = () => undefined
  const decided = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/CreateMessage', async (route) => {
    await decided
    await route.continue()
  })
  await Promise.all([page.waitForRequest('**/CreateMessage'), say(page, body)])
  await decide(PermissionDecision.DENY)
  await page.getByText('You can read this room, but not post in it.').waitFor()
  release()
  await page.getByRole('alert').filter({ hasText: 'Not sent:' }).last().waitFor()
  await page.unroute('**/CreateMessage')
  await decide(PermissionDecision.NONE)
}

inBrowser('others see a custom status until it is cleared', async () => {
  await post(bob, roomId, 'I am out')
  await using ofBob = await visitAs(bob, `/chat/-/${roomId}`)
  await using ofAda = await visitAs(ada, `/chat/-/${roomId}`)
  await messageWith(ofAda.page, 'I am out').getByRole('button', { name: bob.login }).click()
  await ofBob.page.getByRole('button', { name: 'Settings' }).click()
  const settings = ofBob.page.getByRole('dialog', { name: 'Settings' })
  await settings.getByRole('button', { name: 'Status' }).click()
  await settings.getByLabel('What are you doing?').fill('At the dentist')
  // The picker is shown above the settings, which stay open.
  const picker = ofBob.page.getByRole('dialog', { name: 'Emoji' })
  await settings.getByRole('button', { name: 'Choose an emoji' }).click()
  await picker.getByRole('combobox').press('Escape')
  await picker.waitFor({ state: 'detached' })
  await settings.getByRole('button', { name: 'Choose an emoji' }).click()
  await picker.getByRole('combobox').fill('tooth')
  await picker.getByRole('option', { name: 'tooth', exact: true, selected: true }).waitFor()
  await picker.getByRole('combobox').press('Enter')
  await picker.waitFor({ state: 'detached' })
  expect(await settings.getByLabel('Emoji', { exact: true }).inputValue()).toBe('🦷')
  await settings.getByLabel('Status expires').selectOption('After one hour')
  const asked = ofBob.page.waitForRequest((request) => request.url().includes('CustomStatus'))
  await settings.getByRole('button', { name: 'Save', exact: true }).click()
  await asked
  const profile = ofAda.page.getByRole('dialog')
  await profile.getByText('At the dentist').waitFor()
  await settings.getByLabel('What are you doing?').fill('')
  await settings.getByRole('button', { name: 'Save', exact: true }).click()
  await profile.getByText('At the dentist').waitFor({ state: 'detached' })
  expect([...ofBob.pageErrors, ...ofAda.pageErrors]).toEqual([])
})

inBrowser('a new password from the settings can be used to sign in', async () => {
  const emil = await newPerson('emil')
  const password = randomBytes(12).toString('hex')
  await using visitor = await visitAs(emil)
  const { page } = visitor
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign-in' }).click()
  const change = page.getByRole('region', { name: 'Sign-in' }).locator('form').filter({ hasText: 'New password' })
  await change.getByLabel('Current password').fill(emil.password)
  await change.getByLabel('New password').fill(password)
  await change.getByLabel('Repeat the password').fill(password)
  await change.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('heading', { name: /Sign in/ }).waitFor()
  await fillSignIn(page, emil)
  await page.getByText('Wrong login or password.').waitFor()
  await signInAt(page, { login: emil.login, password })
})

inBrowser('a sidebar link appears and disappears at once', async () => {
  const label = `Wiki ${randomBytes(4).toString('hex')}`
  const url = 'https://example.org/wiki'
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await field(page).waitFor()
  const { createSidebarLink, deleteSidebarLink } = AdminRoomLayoutService.method
  const { sidebarLink } = await owner.call(createSidebarLink, { groupId: await lobbyId(owner), label, url })
  const link = page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: label })
  expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([url, 'noopener noreferrer'])
  await owner.call(deleteSidebarLink, { linkId: sidebarLink?.id ?? '' })
  await link.waitFor({ state: 'detached' })
  expect(visitor.pageErrors).toEqual([])
})

function silentWav(): Uint8Array {
  const samples = 800
  const header = Buffer.from('RIFF    WAVEfmt                     data    ', 'latin1')
  header.writeUInt32LE(36 + samples, 4)
  header.writeUInt32LE(16, 16)
  for (const [at, value] of [1, 1, 8_000, 0, 8_000, 0, 1, 8].entries()) header.writeUInt16LE(value, 20 + 2 * at)
  header.writeUInt32LE(samples, 40)
  return Buffer.concat([header, Buffer.alloc(samples, 128)])
}

inBrowser('audio is played inline', async () => {
  const assetId = await sendFile(bob, roomId, silentWav(), { filename: 'silence.wav', contentType: 'audio/wav' })
  await bob.call(MessageService.method.createMessage, { roomId, body: 'Listen', attachmentAssetIds: [assetId] })
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const audio = messageWith(page, 'Listen').locator('audio')
  await audio.waitFor()
  const played = await audio.evaluate(async (element) => {
    const audio = element as unknown as EventTarget & { play(): Promise<void>; duration: number }
    const ended = new Promise((resolve) => audio.addEventListener('ended', resolve))
    await audio.play()
    await ended
    return audio.duration
  })
  expect(played).toBeCloseTo(0.1)
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('with a right-to-left layout the sidebar is on the right, and nothing is cut off', async () => {
  const root = await post(bob, roomId, 'Turn around')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}/${root}`, { viewport: { width: 1200, height: 800 } })
  const { page } = visitor
  await messageWith(page, 'Turn around').waitFor()
  expect(await findCutOffControls(page)).toEqual([])
  await page.evaluate(`document.documentElement.dir = 'rtl'`)
  const [rooms, messages, thread] = await Promise.all(
    [page.getByRole('navigation', { name: 'Rooms' }), page.getByRole('main'), page.getByRole('complementary')].map(
      async (place) => (await place.boundingBox())?.x ?? 0,
    ),
  )
  expect([rooms, messages, thread].toSorted((a = 0, b = 0) => b - a)).toEqual([rooms, messages, thread])
  expect(await findCutOffControls(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 780 })
  expect(await findCutOffControls(page)).toEqual([])
})
