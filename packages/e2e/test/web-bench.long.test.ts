import { afterAll, expect } from '@jest/globals'
import type { CDPSession, Page } from 'playwright-core'
import { lengthenRoom, longRoomMessage } from '../src/long-room.ts'
import { newPerson, theOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, useBrowser, messageWith, signInAt, visit } from '../src/web-client.ts'

/**
 * `pnpm web:bench`: what the web client costs, in a real browser beside an empty page. Times depend on the machine and are
 * printed; what is asserted depends on the client alone.
 */
const rows = 100_000
const mostFirstLoadBytes = 150_000
const times = 5

const report: [string, string][] = []
let owner: Person
let ada: Person
let longRoomId: string
let otherRoomId: string

useBrowser('bench', async () => {
  ;[owner, ada] = await Promise.all([theOwner(), newPerson('ada')])
  ;[longRoomId, otherRoomId] = await Promise.all([newRoom(owner, [ada]), newRoom(owner, [ada])])
  await lengthenRoom(longRoomId, owner.userId, rows)
  await post(owner, otherRoomId, 'In the other room')
})
afterAll(async () => {
  const width = Math.max(...report.map(([what]) => what.length))
  console.log(report.map(([what, measured]) => `${what.padEnd(width)}  ${measured}`).join('\n'))
})

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const note = (what: string, measured: string) => void report.push([what, measured])
const inMs = (ms: number) => `${ms.toFixed(0)} ms`

async function timed(doing: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await doing()
  return performance.now() - began
}

/** How often the median is taken of. */
async function medianOf(doing: () => Promise<number>): Promise<number> {
  const measured: number[] = []
  for (let at = 0; at < times; at++) measured.push(await doing())
  return median(measured)
}

const newest = (page: Page) => messageWith(page, `Message ${rows},`)

async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize
}

inBrowser('first load and start', async () => {
  await using visitor = await visit('/login')
  const { page } = visitor
  await signInAt(page, ada)
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  const scripts = new Map<string, number>()
  session.on('Network.responseReceived', ({ requestId, type }) => type === 'Script' && scripts.set(requestId, 0))
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    const before = scripts.get(requestId)
    if (before !== undefined) scripts.set(requestId, before + encodedDataLength)
  })
  await page.goto(new URL(`/chat/-/${longRoomId}`, page.url()).href)
  await newest(page).waitFor()
  const bytes = [...scripts.values()].reduce((sum, size) => sum + size, 0)
  note('script of the first load, compressed', `${(bytes / 1000).toFixed(1)} kB`)
  expect(bytes).toBeLessThan(mostFirstLoadBytes)

  await session.send('Network.setCacheDisabled', { cacheDisabled: false })
  await page.reload()
  await newest(page).waitFor()
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const empty = new URL('/healthz-of-nothing', page.url()).href
  const address = page.url()
  note('an empty page, processor 4x slower', inMs(await medianOf(() => timed(() => page.goto(empty)))))
  await page.goto(address)
  await newest(page).waitFor()
  const start = () =>
    timed(async () => {
      await page.reload({ waitUntil: 'commit' })
      await newest(page).waitFor()
    })
  note(`start to ${rows} messages, cached, processor 4x slower`, inMs(await medianOf(start)))
})

inBrowser('room switch, far jump, heap', async () => {
  await using visitor = await visit(`/chat/-/${longRoomId}`)
  const { page } = visitor
  await signInAt(page, ada)
  await newest(page).waitFor()
  const session = await page.context().newCDPSession(page)
  const links = page.getByRole('navigation', { name: 'Rooms' }).getByRole('link')
  const to = (roomId: string) => links.and(page.locator(`[href$="${roomId}"]`))
  await to(otherRoomId).click()
  await messageWith(page, 'In the other room').waitFor()
  const there = () =>
    timed(async () => {
      await to(longRoomId).click()
      await newest(page).waitFor()
    })
  const switched = await medianOf(async () => {
    const measured = await there()
    await to(otherRoomId).click()
    await messageWith(page, 'In the other room').waitFor()
    return measured
  })
  note('to a room that was open before', inMs(switched))

  const middle = rows / 2
  const jumped = await timed(async () => {
    await page.goto(new URL(`/chat/-/${longRoomId}?highlight=${longRoomMessage(middle)}`, page.url()).href)
    await messageWith(page, `Message ${middle},`).waitFor()
  })
  note(`by a link to message ${middle} of ${rows}`, inMs(jumped))

  const before = await heapOf(session)
  const timeline = page.getByRole('log').or(page.getByLabel('Messages')).first()
  await timeline.hover()
  for (let screen = 0; screen < 300; screen++) await page.mouse.wheel(0, -2_000)
  note('heap before and after 300 screens of reading back', `${mb(before)}, ${mb(await heapOf(session))} MB`)
})

const mb = (bytes: number) => (bytes / 1e6).toFixed(1)

inBrowser('while 50 messages a second arrive', async () => {
  await using visitor = await visit(`/chat/-/${otherRoomId}`)
  const { page } = visitor
  await signInAt(page, ada)
  await messageWith(page, 'In the other room').waitFor()
  const session = await page.context().newCDPSession(page)
  await page.evaluate(`globalThis.shifts = []; globalThis.slow = [];
    new PerformanceObserver((list) => shifts.push(...list.getEntries().filter((e) => !e.hadRecentInput).map((e) => e.value)))
      .observe({ type: 'layout-shift', buffered: false });
    new PerformanceObserver((list) => slow.push(...list.getEntries().map((e) => e.duration)))
      .observe({ type: 'event', durationThreshold: 16 })`)
  const before = await heapOf(session)
  const field = page.getByRole('textbox', { name: 'Write a message' })
  let posted = 0
  const perBatch = 5
  for (let batch = 0; batch < 100; batch++) {
    await Promise.all([
      ...Array.from({ length: perBatch }, () => post(owner, otherRoomId, `Arriving ${++posted}`)),
      field.press('a'),
      new Promise((resolve) => setTimeout(resolve, 100)),
    ])
  }
  await messageWith(page, `Arriving ${posted}`).first().waitFor()
  const slow = (await page.evaluate<number[]>('slow')) ?? []
  const shifts = (await page.evaluate<number[]>('shifts')) ?? []
  note('slowest key to next paint meanwhile', slow.length === 0 ? 'below 16 ms' : inMs(Math.max(...slow)))
  note('layout shift meanwhile', shifts.reduce((sum, value) => sum + value, 0).toFixed(3))
  note(`heap before and after ${posted} messages`, `${mb(before)}, ${mb(await heapOf(session))} MB`)
})
