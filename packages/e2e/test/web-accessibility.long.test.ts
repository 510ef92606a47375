import { randomBytes } from 'node:crypto'
import { expect } from '@jest/globals'
import { AdminUserService } from '@parley/contracts/admin'
import { MessageService, RoomService } from '@parley/contracts/api'
import type { Page } from 'playwright-core'
import { findCutOffControls, inEveryTheme, findViolations } from '../src/accessibility.ts'
import { codeIn, mailTo } from '../src/mails.ts'
import { authorizePath, newVerifier } from '../src/other-clients.ts'
import { newPerson, operate, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { fillSignIn, inBrowser, messageWith, refusal, say, useBrowser, visit, visitAs } from '../src/web-client.ts'

let owner: Person
let bob: Person
let roomId: string
let rootId: string
let dmId: string
let archivedId: string
let foreignId: string

useBrowser('accessibility', async () => {
  ;[owner, bob] = await Promise.all([signInOwner(), newPerson('bob')])
  roomId = await newRoom(owner, [bob])
  const description =
    'A description of this room that is so long that it can never fit into one line of the header of the room.'
  await owner.call(RoomService.method.updateRoom, { roomId, description })
  await post(
    owner,
    roomId,
    `# Plans\n\n- one\n- **two** for @${bob.login}\n\n> said\n\n\`code\` and https://example.org\n\n\`\`\`ts\n// said\nconst [one, two] = [1, "two"] as Pair\n\`\`\``,
  )
  rootId = await post(bob, roomId, 'Shall we?')
  await bob.call(MessageService.method.addReaction, { roomId, messageEventId: rootId, emoji: 'tada' })
  await bob.call(MessageService.method.createMessage, { roomId, threadRootEventId: rootId, body: 'After lunch.' })
  const { room } = await owner.call(RoomService.method.startDM, { participantIds: [bob.userId] })
  dmId = room?.id ?? ''
  await post(bob, dmId, 'Good morning')
  await owner.call(RoomService.method.markRoomAsRead, { roomId })
  archivedId = await newRoom(owner)
  await owner.call(RoomService.method.archiveRoom, { roomId: archivedId })
  const admin = await newPerson('admin', { roles: ['admin'] })
  foreignId = await newRoom(admin)
})

const calm = { reducedMotion: 'reduce' } as const

const assertAccessible = (page: Page, what = '') =>
  inEveryTheme(page, async (theme) =>
    expect({ what, theme, found: await findViolations(page) }).toEqual({ what, theme, found: [] }),
  )

const entries = ['/login', '/register', '/reset-password?token=x', '/invite#x', '/oauth/consent']
inBrowser.each(entries)('%s is accessible', async (path) => {
  await using visitor = await visit(path, calm)
  const { page } = visitor
  await page.getByRole('heading').first().waitFor()
  await assertAccessible(page)
})

inBrowser('the consent page is accessible', async () => {
  await using visitor = await visitAs(owner, '/', calm)
  const { page } = visitor
  await page.goto(new URL(authorizePath(newVerifier()), page.url()).href)
  await page.getByRole('button', { name: 'Allow access' }).waitFor()
  await assertAccessible(page)
})

inBrowser('the page of a valid invite is accessible', async () => {
  const { url } = await owner.call(AdminUserService.method.createInvite, {})
  const { pathname, hash } = new URL(url)
  await using visitor = await visit(pathname + hash, calm)
  const { page } = visitor
  await page.getByRole('button', { name: 'Complete registration' }).click()
  await page.getByText('This field is required.').first().waitFor()
  await assertAccessible(page)
})

inBrowser('each step of a registration is accessible', async () => {
  const email = `new-${randomBytes(5).toString('hex')}@example.org`
  await using visitor = await visit('/register', calm)
  const { page } = visitor
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByText('This field is required.').waitFor()
  await assertAccessible(page, 'nothing filled in')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByLabel('Six-digit code').fill('1')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('alert').getByRole('paragraph').waitFor()
  await assertAccessible(page, 'a wrong code')
  await page.getByLabel('Six-digit code').fill(codeIn(await mailTo(email)))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Login').waitFor()
  await assertAccessible(page, 'a name and a password')
})

inBrowser('the page that requests a password reset is accessible', async () => {
  await using visitor = await visit('/login', calm)
  const { page } = visitor
  await page.getByRole('button', { name: 'Forgot your password?' }).click()
  await page.getByRole('button', { name: 'Send me a link' }).waitFor()
  await assertAccessible(page, 'an address')
  await page.getByLabel('E-mail address').fill(`nobody-${randomBytes(5).toString('hex')}@example.org`)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByText('you will receive a link there shortly').waitFor()
  await assertAccessible(page, 'the link was requested')
})

inBrowser('the page for an unknown address is accessible', async () => {
  await using visitor = await visit('/nowhere', calm)
  const { page } = visitor
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await assertAccessible(page)
})

inBrowser.each(['light', 'dark'] as const)('a page of the gateway is accessible, %s', async (colorScheme) => {
  await using visitor = await visit('/oauth/authorize?redirect_uri=nowhere', { colorScheme, locale: 'de-DE' })
  const { page, pageErrors } = visitor
  await page.getByRole('heading', { name: 'Ungültige Zugriffsanfrage' }).waitFor()
  expect(await findViolations(page)).toEqual([])
  expect(pageErrors.filter((error) => !error.includes('status of 400'))).toEqual([])
})

inBrowser('the page for an unreachable server is accessible', async () => {
  await using visitor = await visit('/login', calm)
  const { page } = visitor
  await page.route('**/GetServer', (route) => route.abort())
  await page.reload({ waitUntil: 'commit' })
  await page.getByRole('heading', { name: /cannot be reached/ }).waitFor()
  await assertAccessible(page)
})

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
  'base64',
)

const opening: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
  ['a room', async () => undefined],
  ['the actions of a message', (page) => messageWith(page, 'Shall we?').hover()],
  ['highlighted code', (page) => page.locator('pre span').first().waitFor()],
  ['a profile', (page) => messageWith(page, 'Shall we?').getByRole('button', { name: bob.login }).click()],
  [
    'the people who reacted',
    async (page) => {
      await messageWith(page, 'Shall we?').hover()
      await messageWith(page, 'Shall we?').getByRole('button', { name: 'Who reacted' }).click()
      await page.getByRole('dialog').getByRole('button', { name: bob.login }).waitFor()
    },
  ],
  [
    'a new room',
    async (page) => {
      await page.getByRole('button', { name: 'Browse rooms' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'New room' }).click()
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).waitFor()
    },
  ],
  ['a message while it is edited', (page) => page.getByRole('textbox', { name: 'Write a message' }).press('ArrowUp')],
  [
    'a direct message',
    async (page) => {
      await page.locator(`nav a[href$="${dmId}"]`).click()
      await page.getByRole('main').getByText('Good morning').waitFor()
    },
  ],
  ['a room on a phone', (page) => page.setViewportSize({ width: 390, height: 800 })],
  ['the pane about a room', (page) => page.getByRole('button', { name: 'About this room' }).click()],
  ['the pane of threads', (page) => page.getByRole('button', { name: /^Threads/ }).click()],
  ['the pane of notifications', (page) => page.getByRole('button', { name: /^Notifications/ }).click()],
  ['the directory', (page) => page.getByRole('button', { name: 'Browse rooms' }).click()],
  ['a new direct message', (page) => page.getByRole('button', { name: 'New direct message' }).click()],
  ['the switcher', (page) => page.keyboard.press('Control+k')],
  [
    'the switcher with results',
    async (page) => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type(bob.login)
      await page.getByRole('option', { name: bob.login }).first().waitFor()
    },
  ],
  [
    'an archived room',
    async (page) => {
      await page.goto(new URL(`/chat/-/${archivedId}`, page.url()).href)
      await page.getByText('This room is archived').waitFor()
    },
  ],
  [
    'a room of others',
    async (page) => {
      await page.goto(new URL(`/chat/-/${foreignId}`, page.url()).href)
      await page.getByRole('button', { name: 'Join room' }).waitFor()
    },
  ],
  [
    'a room that does not exist',
    async (page) => {
      await page.goto(new URL('/chat/-/Rnothing', page.url()).href)
      await page.getByRole('heading', { name: 'Room not found' }).waitFor()
    },
  ],
  [
    'a refused message',
    async (page) => {
      await page.route('**/CreateMessage', (route) => route.fulfill(refusal))
      await say(page, 'Not for you')
      await page.getByRole('alert').filter({ hasText: 'Not sent:' }).waitFor()
    },
  ],
  [
    'the report of a refused message in another room',
    async (page) => {
      await page.route('**/CreateMessage', (route) => route.fulfill(refusal))
      await say(page, 'Not for you')
      await page.getByRole('alert').filter({ hasText: 'Not sent:' }).waitFor()
      await page.locator(`nav a[href$="${dmId}"]`).click()
      await page.getByRole('main').getByRole('link', { name: 'was not sent' }).waitFor()
    },
  ],
  ['the list of shortcuts', (page) => page.keyboard.press('Control+/')],
  [
    'the emoji picker',
    async (page) => {
      await page.getByRole('button', { name: 'Insert an emoji' }).click()
      // Nearly two thousand similar elements would take too long to check in every theme.
      await page.getByRole('dialog').getByRole('combobox').fill('heart')
      await page.getByRole('option', { name: 'red heart' }).waitFor()
    },
  ],
  ['the settings dialog', (page) => page.getByRole('button', { name: 'Settings' }).click()],
  [
    'the confirmation to delete a message',
    async (page) => {
      const message = page.getByRole('main').getByRole('article').first()
      await message.hover()
      await message.getByRole('button', { name: 'Delete' }).click()
      await message.getByText('Delete this message?').waitFor()
    },
  ],
  [
    'the confirmation to sign out',
    async (page) => {
      await page.getByRole('textbox', { name: 'Write a message' }).fill('Not sent')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('dialog', { name: 'Sign out?' }).waitFor()
    },
  ],
  [
    'a picture',
    async (page) => {
      await page.locator(`nav a[href$="${dmId}"]`).click()
      const file = { name: 'square.png', mimeType: 'image/png', buffer: picture }
      await page.getByLabel('Attach files').setInputFiles([file])
      await page.getByRole('textbox', { name: 'Write a message' }).fill('A picture')
      await page.keyboard.press('Enter')
      await messageWith(page, 'A picture').getByRole('link', { name: 'Open square.png' }).click()
      await page.getByRole('dialog', { name: 'square.png' }).getByRole('img', { name: 'square.png' }).waitFor()
    },
  ],
  [
    'a room without network',
    async (page) => {
      await page.context().setOffline(true)
      await page.getByText(/^Not connected/).waitFor()
    },
  ],
]
inBrowser.each(opening)('%s is accessible', async (_, open) => {
  await using visitor = await visitAs(owner, `/chat/-/${roomId}`, calm)
  const { page } = visitor
  await messageWith(page, 'Shall we?').waitFor()
  await open(page)
  if (page.viewportSize()?.width === 1200) await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  await assertAccessible(page)
})

inBrowser('the actions of a message are accessible on a phone', async () => {
  const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }
  await using visitor = await visitAs(owner, `/chat/-/${roomId}`, { ...calm, ...phone })
  const { page } = visitor
  await messageWith(page, 'Shall we?').getByText('Shall we?').tap()
  await page.getByRole('toolbar').getByText('Reply in thread').waitFor()
  await inEveryTheme(page, async (theme) =>
    expect({ theme, found: await findViolations(page) }).toEqual({ theme, found: [] }),
  )
})

inBrowser('each section of the settings is accessible', async () => {
  await using visitor = await visitAs(owner, `/chat/-/${roomId}`, calm)
  const { page } = visitor
  await page.getByRole('button', { name: 'Settings' }).click()
  for (const section of [
    'Profile',
    'Status',
    'Appearance',
    'Notifications',
    'Sign-in',
    'E-mail addresses',
    'Connected apps',
    'Account',
  ]) {
    await page.getByRole('dialog').getByRole('button', { name: section, exact: true }).click()
    await assertAccessible(page, section)
  }
})

inBrowser('a thread is accessible', async () => {
  await using visitor = await visitAs(owner, `/chat/-/${roomId}/${rootId}`, calm)
  const { page } = visitor
  await page.getByRole('complementary').getByText('After lunch.').waitFor()
  await assertAccessible(page)
})

const managePaths = () => [
  'people',
  `people/${bob.userId}`,
  'invites',
  'rooms',
  `rooms/${roomId}`,
  'server',
  'first-steps',
]

const sizes = [
  { what: 'on a phone', width: 390, height: 780 },
  { what: 'at 200 %', width: 640, height: 400 },
  { what: 'at 400 %', width: 320, height: 256 },
  { what: 'beside a pane', width: 1000, height: 700 },
  { what: 'on a wide screen', width: 2560, height: 1300 },
]
inBrowser.each(sizes)('no control is cut off $what', async ({ width, height }) => {
  await using visitor = await visit(`/chat/-/${roomId}`, { ...calm, viewport: { width, height } })
  const { page } = visitor
  await fillSignIn(page, owner)
  await messageWith(page, 'Shall we?').waitFor()
  const check = async (where: string) =>
    expect({ where, cutOff: await findCutOffControls(page) }).toEqual({ where, cutOff: [] })
  await check('a room')
  const { origin } = new URL(page.url())
  await page.goto(`${origin}/chat/-/${roomId}/${rootId}`)
  await page.getByRole('complementary').getByText('After lunch.').waitFor()
  await check('a thread')
  // With a single column, the sidebar has a separate address.
  await page.goto(`${origin}${width < 704 ? '/' : `/chat/-/${roomId}`}`)
  await page.waitForLoadState('networkidle')
  for (const pane of [/^Threads/, /^Notifications/]) {
    await page.getByRole('button', { name: pane }).click()
    await page.getByRole('complementary').getByRole('heading', { name: pane }).waitFor()
    await check(String(pane))
    await page.getByRole('button', { name: 'Close', exact: true }).click()
  }
  await page.getByRole('button', { name: 'Settings' }).click()
  const sections = page.getByRole('dialog').getByRole('navigation').getByRole('button')
  for (const section of await sections.all()) {
    await section.click()
    await check(`settings, ${await section.innerText()}`)
  }
  for (const path of managePaths()) {
    await page.goto(`${origin}/manage/${path}`)
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    await check(path)
  }
})

/** The spacing of text that pages must allow (WCAG, success criterion 1.4.12). */
const widerText = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
  p { margin-block-end: 2em !important }`

inBrowser('no control is cut off with wider spacing of text', async () => {
  await using visitor = await visitAs(owner, `/chat/-/${roomId}/${rootId}`, calm)
  const { page } = visitor
  const { origin } = new URL(page.url())
  for (const path of [`/chat/-/${roomId}/${rootId}`, '/manage/people', '/manage/invites', `/manage/rooms/${roomId}`]) {
    await page.goto(origin + path)
    await page.getByRole('heading').first().waitFor()
    await page.evaluate(`document.adoptedStyleSheets = [new CSSStyleSheet()]
      document.adoptedStyleSheets[0].replaceSync(${JSON.stringify(widerText)})`)
    expect({ path, cutOff: await findCutOffControls(page) }).toEqual({ path, cutOff: [] })
  }
})

const afterClick: readonly (readonly [string, () => string, (page: Page) => Promise<void>])[] = [
  [
    'a new invite with the confirmation to revoke it',
    () => 'invites',
    async (page) => {
      await page.getByRole('button', { name: 'Create link' }).click()
      await page.getByText('The link is shown only once').waitFor()
      await page.getByRole('button', { name: 'Revoke Link' }).first().click()
      await page.getByText('Nobody will be able to create an account with it any more.').waitFor()
    },
  ],
  [
    'an account with the confirmation to deactivate it and the explanation of permissions',
    () => `people/${bob.userId}`,
    async (page) => {
      await page.getByRole('button', { name: 'Deactivate this account' }).click()
      await page.getByText('This person will be signed out everywhere').waitFor()
      await page.getByLabel('Room', { exact: true }).selectOption({ index: 1 })
      await page.getByText(/^Post messages:/).waitFor()
    },
  ],
  [
    'a room with the confirmation to archive it and the form to ban somebody',
    () => `rooms/${roomId}`,
    async (page) => {
      await page.getByRole('button', { name: 'Archive', exact: true }).click()
      await page.getByText('Everyone can still read it').waitFor()
      await page.getByRole('button', { name: `Ban ${bob.login}` }).click()
      await page.getByLabel('Reason (for the audit log)').waitFor()
    },
  ],
]
inBrowser.each(afterClick)('%s is accessible', async (_, path, press) => {
  await using visitor = await visit(`/manage/${path()}`, calm)
  const { page } = visitor
  await fillSignIn(page, owner)
  await page.getByRole('heading', { level: 2 }).first().waitFor()
  await press(page)
  await assertAccessible(page)
  expect(await findCutOffControls(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 780 })
  expect(await findCutOffControls(page)).toEqual([])
})

inBrowser('administration without permission is accessible', async () => {
  await using visitor = await visitAs(bob, '/manage/people', calm)
  const { page } = visitor
  await page.getByText('You are not allowed to manage this.').waitFor()
  await assertAccessible(page)
})

inBrowser('administration is accessible', async () => {
  await using visitor = await visit('/manage/people', calm)
  const { page } = visitor
  await page.getByLabel('Login or e-mail address').fill(owner.login)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByLabel('Password').press('Enter')
  await page.getByRole('navigation', { name: 'Administration' }).waitFor()
  await operate(['user', 'verify-email', '--login', bob.login, '--email', `${bob.login}@example.org`])
  const { origin } = new URL(page.url())
  for (const path of managePaths()) {
    await page.goto(`${origin}/manage/${path}`)
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    if (path.startsWith('people/')) await page.getByRole('button', { name: /^Remove .*@/ }).click()
    await assertAccessible(page, path)
  }
})
