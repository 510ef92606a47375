import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { MessageService, RoomService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import type { Locator, Page } from 'playwright-core'
import { findCutOffControls } from '../src/accessibility.ts'
import { fleet } from '../src/fleet.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, launchWithProfile, say, signInAt, useBrowser, visitAs } from '../src/web-client.ts'

let ada: Person
let bob: Person
let roomId: string

useBrowser('devices', async () => {
  ;[ada, bob] = await Promise.all([newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(await signInOwner(), [ada, bob])
})

const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true } as const

/** Touches the element for two frames, during which a page may change below the finger. */
async function tap(page: Page, element: Locator): Promise<void> {
  // The trial waits until the element is still: a timeline that has just been opened scrolls to its newest message.
  await element.tap({ trial: true })
  const box = await element.boundingBox()
  if (!box) throw new Error('there is nothing to tap')
  const session = await page.context().newCDPSession(page)
  const touchPoints = [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }]
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await session.detach()
}

inBrowser('a tap on the newest message shows its actions without triggering one', async () => {
  for (let n = 0; n < 30; n++) await post(bob, roomId, `Before it, number ${n}`)
  await post(bob, roomId, 'The newest')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`, phone)
  const { page } = visitor
  expect(await page.evaluate(`matchMedia('(hover: none)').matches`)).toBe(true)
  const newest = messageWith(page, 'The newest')
  await newest.waitFor()
  const address = page.url()
  await tap(page, newest)
  const actions = newest.getByRole('toolbar')
  await actions.waitFor()
  await expect(actions.isVisible()).resolves.toBe(true)
  expect([page.url(), await page.getByRole('dialog').count()]).toEqual([address, 0])
  // Each action has its name beside it, and all are visible.
  await actions.getByText('Reply in thread').waitFor()
  const [toolbar, list] = await Promise.all([actions.boundingBox(), page.getByRole('log').boundingBox()])
  expect((toolbar?.y ?? Infinity) + (toolbar?.height ?? 0)).toBeLessThanOrEqual(
    (list?.y ?? 0) + (list?.height ?? 0) + 1,
  )
  const other = messageWith(page, 'number 29')
  await tap(page, other)
  await other.getByRole('toolbar').waitFor()
  await actions.waitFor({ state: 'hidden' })

  await tap(page, other.getByRole('button', { name: 'Reply in thread' }))
  await page.getByRole('textbox', { name: 'Reply in thread' }).fill('By touch alone')
  await tap(page, page.getByRole('complementary').getByRole('button', { name: 'Send', exact: true }))
  await page.getByRole('complementary').getByText('By touch alone').waitFor()
  await tap(page, page.getByRole('link', { name: 'Close thread' }))
  await newest.waitFor()
  await tap(page, page.getByRole('link', { name: 'Back to rooms' }))
  await tap(page, page.getByRole('navigation', { name: 'Rooms' }).locator(`a[href$="${roomId}"]`))
  await newest.waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser.each([390, 320])(
  'on a phone %d pixels wide the buttons that confirm or cancel a deletion are in one row',
  async (width) => {
    await post(ada, roomId, `To be deleted at ${width}`)
    await using visitor = await visitAs(ada, `/chat/-/${roomId}`, { ...phone, viewport: { width, height: 640 } })
    const { page } = visitor
    const message = messageWith(page, `To be deleted at ${width}`)
    await tap(page, message.getByText(`To be deleted at ${width}`))
    await tap(page, message.getByRole('button', { name: 'Delete', exact: true }))
    await message.getByText('Delete this message?').waitFor()
    const boxOf = (name: string) => message.getByRole('button', { name, exact: true }).boundingBox()
    const [confirm, cancel] = await Promise.all([boxOf('Delete'), boxOf('Cancel')])
    expect(cancel?.y).toBe(confirm?.y)
    expect((cancel?.x ?? Infinity) + (cancel?.width ?? 0)).toBeLessThanOrEqual(width)
  },
)

inBrowser('on a phone Enter begins a new line, and the button sends', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`, phone)
  const { page } = visitor
  const field = page.getByRole('textbox', { name: 'Write a message' })
  // The placeholder contains the name of the room, and ends with an ellipsis if that is too long.
  const overflow = "getComputedStyle(document.querySelector('textarea'), '::placeholder').textOverflow"
  expect(await page.evaluate(overflow)).toBe('ellipsis')
  await tap(page, field)
  await page.keyboard.type('First line')
  await page.keyboard.press('Enter')
  await page.keyboard.type('Second line')
  expect(await field.inputValue()).toBe('First line\nSecond line')
  await tap(page, page.getByRole('button', { name: 'Send', exact: true }))
  await messageWith(page, 'Second line').getByText('First line').waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('people who reacted are shown to users of touch and keyboard, as long as their reactions exist', async () => {
  const messageEventId = await post(bob, roomId, 'Who comes along?')
  const others = await Promise.all(Array.from({ length: 6 }, (_, n) => newPerson(`guest${n}`)))
  for (const one of others) await one.call(RoomService.method.joinRoom, { roomId })
  const { addReaction, removeReaction } = MessageService.method
  for (const one of [bob, ...others]) await one.call(addReaction, { roomId, messageEventId, emoji: 'tada' })
  const last = others.at(-1)
  if (!last) throw new Error('nobody else is in the room')
  await bob.call(addReaction, { roomId, messageEventId, emoji: 'rocket' })

  await using byTouch = await visitAs(ada, `/chat/-/${roomId}`, { ...phone, viewport: { width: 320, height: 640 } })
  await using byKeyboard = await visitAs(ada, `/chat/-/${roomId}`)
  for (const { page, pageErrors } of [byTouch, byKeyboard]) {
    const message = messageWith(page, 'Who comes along?')
    await message.getByRole('button', { name: ':rocket:' }).waitFor()
    const open = message.getByRole('button', { name: 'Who reacted' })
    if (page === byTouch.page) {
      await tap(page, message.getByText('Who comes along?'))
      await open.waitFor()
      expect(await findCutOffControls(page)).toEqual([])
      await tap(page, open)
    } else {
      await message.focus()
      await open.press('Enter')
    }
    const dialog = page.getByRole('dialog', { name: 'Who reacted' })
    await dialog.getByRole('region', { name: ':rocket:, 1 person' }).getByRole('button', { name: bob.login }).waitFor()
    const many = dialog.getByRole('region', { name: ':tada:' })
    const people = many.getByRole('listitem').getByRole('button')
    await dialog.getByRole('region', { name: ':tada:, 7 people' }).waitFor()
    expect(await people.count()).toBe(5)
    const more = many.getByRole('button', { name: 'Show 2 more people' })
    if (page === byTouch.page) await tap(page, more)
    else await more.press('Enter')
    await more.waitFor({ state: 'detached' })
    expect(await people.allInnerTexts()).toEqual([bob, ...others].map((one) => expect.stringContaining(one.login)))
    expect(await page.evaluate<string>('document.activeElement.textContent')).toContain(others[4]?.login)
    await last.call(removeReaction, { roomId, messageEventId, emoji: 'tada' })
    await dialog.getByRole('region', { name: ':tada:, 6 people' }).waitFor()
    await people.filter({ hasText: last.login }).waitFor({ state: 'detached' })
    expect(await people.count()).toBe(6)
    await last.call(addReaction, { roomId, messageEventId, emoji: 'tada' })
    await people.filter({ hasText: last.login }).waitFor()
    expect(pageErrors).toEqual([])
  }

  for (const emoji of ['tada', 'rocket']) await bob.call(removeReaction, { roomId, messageEventId, emoji })
  for (const one of others) await one.call(removeReaction, { roomId, messageEventId, emoji: 'tada' })
  for (const { page } of [byTouch, byKeyboard])
    await page.getByRole('dialog').getByText('This message has no reactions any more.').waitFor()
  await byKeyboard.page.keyboard.press('Escape')
  await byKeyboard.page.getByRole('dialog').waitFor({ state: 'detached' })
})

inBrowser('on a phone the room stays visible until the pane that replaces it has loaded', async () => {
  await post(bob, roomId, 'Still here')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`, phone)
  const { page } = visitor
  await messageWith(page, 'Still here').waitFor()
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(/\/RoomPane[^/]*\.js/, async (route) => {
    await released
    await route.continue()
  })
  const asked = page.waitForRequest(/\/RoomPane[^/]*\.js/)
  await page.getByRole('button', { name: 'About this room' }).tap()
  await asked
  await expect(messageWith(page, 'Still here').isVisible()).resolves.toBe(true)
  release()
  await page.getByRole('complementary').getByText('Find a member').waitFor()
  await expect(messageWith(page, 'Still here').isVisible()).resolves.toBe(false)
  await page.getByRole('button', { name: 'Close', exact: true }).tap()
  await messageWith(page, 'Still here').waitFor()
  expect(visitor.pageErrors).toEqual([])
})

const motionOf = (page: Page) =>
  page.evaluate<{ transitions: string[]; moving: number }>(`({
    transitions: [...new Set([...document.querySelectorAll('*')].map((one) => getComputedStyle(one).transitionDuration))],
    moving: document.getAnimations().filter(({ effect }) => effect.getComputedTiming().activeDuration > 0).length,
  })`)

inBrowser('on a phone the sections of the settings are one row, which scrolls', async () => {
  await using visitor = await visitAs(ada, '/', phone)
  const { page } = visitor
  await page.getByRole('button', { name: 'Settings' }).tap()
  const sections = page.getByRole('dialog', { name: 'Settings' }).getByRole('navigation').getByRole('button')
  await sections.last().tap()
  await page.getByRole('region', { name: await sections.last().innerText() }).waitFor()
  const boxes = await Promise.all((await sections.all()).map((section) => section.boundingBox()))
  expect(new Set(boxes.map((box) => box?.y)).size).toBe(1)
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('with reduced motion nothing is animated', async () => {
  await using still = await visitAs(ada, `/chat/-/${roomId}`, { reducedMotion: 'reduce' })
  await using usual = await visitAs(bob, `/chat/-/${roomId}`, { reducedMotion: 'no-preference' })
  const { page } = still
  await messageWith(page, 'The newest').hover()
  expect(await motionOf(page)).toEqual({ transitions: ['0s'], moving: 0 })
  const opened = {
    'About this room': page.getByRole('complementary'),
    'Browse rooms': page.getByRole('dialog'),
    Settings: page.getByRole('dialog'),
  }
  for (const [name, pane] of Object.entries(opened)) {
    await page.getByRole('button', { name }).click()
    await pane.waitFor()
    expect(await motionOf(page)).toEqual({ transitions: ['0s'], moving: 0 })
    await page.keyboard.press('Escape')
    await pane.waitFor({ state: 'hidden' })
  }
  await messageWith(usual.page, 'The newest').hover()
  expect((await motionOf(usual.page)).transitions.length).toBeGreaterThan(1)
})

inBrowser('an unsent message survives a crash of the browser, and is posted once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-crash-'))
  const body = 'Written before the crash'
  const address = `${fleet().gateways[0]}/chat/-/${roomId}`
  try {
    {
      await using crashing = await launchWithProfile(folder)
      const { page } = crashing
      await page.goto(address)
      await signInAt(page, ada)
      await messageWith(page, 'The newest').waitFor()
      await page.route('**/CreateMessage', (route) => route.abort())
      await Promise.all([page.waitForRequest('**/CreateMessage'), say(page, body)])
      await crashing.crash()
    }
    await using again = await launchWithProfile(folder)
    const { page } = again
    await page.goto(address)
    // If the cookie was not stored before the crash, the message waits for the next sign-in.
    const rooms = page.getByRole('navigation', { name: 'Rooms' })
    const signIn = page.getByLabel('Login or e-mail address')
    await rooms.or(signIn).waitFor()
    if (await signIn.isVisible()) await signInAt(page, ada)
    const posted = async () => {
      const { page: read } = await bob.call(RoomService.method.getRoomEvents, { roomId })
      const bodies = read?.events.map(({ event }) => (event.case === 'messagePosted' ? event.value.message?.body : ''))
      return bodies?.filter((one) => one === body).length
    }
    await eventually(async () => expect(await posted()).toBe(1))
    await messageWith(page, body).waitFor()
    expect([await posted(), await messageWith(page, body).count()]).toEqual([1, 1])
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})
