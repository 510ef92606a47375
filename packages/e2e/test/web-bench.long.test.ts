import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from '@jest/globals'
import type { CDPSession, Page } from 'playwright-core'
import { fleet } from '../src/fleet.ts'
import { summariseDelays, keysWhilePosting, newestPosted, type PostLoad } from '../src/keys-while-posting.ts'
import { lengthenRoom, longRoomMessage } from '../src/long-room.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import {
  inBrowser,
  messageWith,
  launchWithProfile,
  timeWhenTrue,
  signInAt,
  useBrowser,
  visitAs,
} from '../src/web-client.ts'

// Times depend on the machine and are only printed; the assertions depend only on the client.

const rows = 100_000
const maxFirstLoadBytes = 145_000
/** The heap must not grow with the number of messages. */
const maxHeapGrowthBytes = 4_000_000
const repetitions = 5

const report: [string, string][] = []
let owner: Person
let ada: Person
let longRoomId: string
let otherRoomId: string

useBrowser('bench', async () => {
  ;[owner, ada] = await Promise.all([signInOwner(), newPerson('ada')])
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

async function measureTime(action: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await action()
  return performance.now() - began
}

async function medianOf(action: () => Promise<number>): Promise<number> {
  const measured: number[] = []
  for (let at = 0; at < repetitions; at++) measured.push(await action())
  return median(measured)
}

const newest = (page: Page) => messageWith(page, `Message ${rows},`)

/**
 * Measures inside the page, so that messages between the test and the browser take no part of the time. `readable`
 * resolves when a message with the given text has been painted, with the milliseconds since the page started to load.
 */
const readableScript = `globalThis.readable = (text) => new Promise((resolve) => {
  const check = () => {
    const rows = document.querySelectorAll('[role="log"] article')
    const seen = [...rows].some((row) => row.textContent.includes(text) && row.checkVisibility({ visibilityProperty: true }))
    if (seen) requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
    else requestAnimationFrame(check)
  }
  check()
})`

const readableAfter = (page: Page, text: string) => page.evaluate<number>(`readable(${JSON.stringify(text)})`)

const measureSwitch = (page: Page, roomId: string, text: string) =>
  page.evaluate<number>(`(async () => {
    const began = performance.now()
    document.querySelector('nav a[href$="${roomId}"]').click()
    return (await readable(${JSON.stringify(text)})) - began
  })()`)

async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize
}

inBrowser('the scripts of the first load are below their size limit', async () => {
  await using visitor = await visitAs(ada, '/login')
  const { page } = visitor
  await page.addInitScript(readableScript)
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
  expect(bytes).toBeLessThan(maxFirstLoadBytes)
})

inBrowser('a cached start is measured', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  try {
    // Uses a profile: without one the browser does not cache compiled scripts.
    await using mine = await launchWithProfile(folder)
    const { page } = mine
    await page.setViewportSize({ width: 1200, height: 800 })
    await page.addInitScript(readableScript)
    const address = new URL(`/chat/-/${longRoomId}`, fleet().gateways[0]).href
    await page.goto(address)
    await signInAt(page, ada)
    const start = async () => {
      await page.reload({ waitUntil: 'commit' })
      return readableAfter(page, `Message ${rows},`)
    }
    // The browser caches compiled scripts from the second visit on.
    for (let visits = 0; visits < 3; visits++) await start()
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    const empty = new URL('/healthz', address).href
    note('an empty page, processor 4x slower', inMs(await medianOf(() => measureTime(() => page.goto(empty)))))
    await page.goto(address)
    await newest(page).waitFor()
    note(`start to ${rows} messages, cached, processor 4x slower`, inMs(await medianOf(start)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

inBrowser('switching rooms and jumping far back are measured', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${longRoomId}`)
  const { page } = visitor
  await newest(page).waitFor()
  await page.evaluate(readableScript)
  await measureSwitch(page, otherRoomId, 'In the other room')
  const switchToLongRoom = async () => {
    const took = await measureSwitch(page, longRoomId, `Message ${rows},`)
    await measureSwitch(page, otherRoomId, 'In the other room')
    return took
  }
  note('switching to a room that was open before', inMs(await medianOf(switchToLongRoom)))

  const middle = rows / 2
  const jumped = await measureTime(async () => {
    await page.goto(new URL(`/chat/-/${longRoomId}?highlight=${longRoomMessage(middle)}`, page.url()).href)
    await messageWith(page, `Message ${middle},`).waitFor()
  })
  note(`jump by a link to message ${middle} of ${rows}`, inMs(jumped))
})

const mb = (bytes: number) => (bytes / 1e6).toFixed(1)

inBrowser('the time until another browser shows a change is measured', async () => {
  await using ofOwner = await visitAs(owner, `/chat/-/${otherRoomId}`)
  await using ofAda = await visitAs(ada, `/chat/-/${otherRoomId}`)
  for (const { page } of [ofOwner, ofAda]) await messageWith(page, 'In the other room').waitFor()
  const field = ofOwner.page.getByRole('textbox', { name: 'Write a message' })
  let said = 0
  const message = async () => {
    await field.fill(`Said for others ${++said}`)
    const seen = timeWhenTrue(ofAda.page, `document.querySelector('[role=log]').textContent.includes('others ${said}')`)
    const began = Date.now()
    await field.press('Enter')
    return (await seen) - began
  }
  note('a message until another browser shows it', inMs(await medianOf(message)))
  const reaction = async () => {
    await messageWith(ofOwner.page, `others ${said}`).hover()
    await messageWith(ofOwner.page, `others ${said}`).getByRole('button', { name: 'React', exact: true }).click()
    const button = messageWith(ofOwner.page, `others ${said}`).getByRole('button', { name: 'React with tada' })
    await button.waitFor()
    const seen = timeWhenTrue(
      ofAda.page,
      `document.querySelectorAll('[role=log] [aria-label^=":tada:"]').length > ${reacted}`,
    )
    const began = Date.now()
    await button.click()
    reacted++
    const took = (await seen) - began
    await message()
    return took
  }
  let reacted = 0
  note('a reaction until another browser shows it', inMs(await medianOf(reaction)))
})

/** With the same load, the difference between an empty page and the room is the client's cost. */
async function measureKeys(page: Page, traffic: PostLoad): Promise<void> {
  const room = page.url()
  const what = `key to next paint, at ${traffic.perSecond} messages a second if the server keeps up`
  await page.goto(new URL('/healthz', room).href)
  await page.evaluate(`document.body.append(document.createElement('textarea'))
    document.querySelector('textarea').focus()`)
  note(`${what}, empty page: maximum, 98th percentile, median`, summariseDelays(await keysWhilePosting(page, traffic)))

  await page.goto(room)
  await messageWith(page, newestPosted()).first().waitFor()
  await page.evaluate(`globalThis.shifts = [];
    new PerformanceObserver((list) => shifts.push(...list.getEntries().filter((e) => !e.hadRecentInput).map((e) => e.value)))
      .observe({ type: 'layout-shift', buffered: false })`)
  await page.getByRole('textbox', { name: 'Write a message' }).focus()
  note(`${what}: maximum, 98th percentile, median`, summariseDelays(await keysWhilePosting(page, traffic)))
  await messageWith(page, newestPosted()).first().waitFor()
  const shifts = (await page.evaluate<number[]>('shifts')) ?? []
  note('layout shift meanwhile', shifts.reduce((sum, value) => sum + value, 0).toFixed(3))
}

inBrowser('typing while 50 messages a second arrive is measured', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${otherRoomId}`)
  await measureKeys(visitor.page, { roomId: otherRoomId, authors: [owner], perSecond: 50 })
})

inBrowser(
  'typing while 500 messages a second arrive is measured',
  async () => {
    // The default limit of writes admits a hundred messages a second from one person.
    const others = await Promise.all([...'bcdefgh'].map((name) => newPerson(name)))
    const roomId = await newRoom(owner, [ada, ...others])
    await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
    await measureKeys(visitor.page, { roomId, authors: [owner, ...others], perSecond: 500 })
  },
  300_000,
)

inBrowser(
  'the heap barely grows between 2,000 and 10,000 messages',
  async () => {
    await using visitor = await visitAs(ada, `/chat/-/${otherRoomId}`)
    const { page } = visitor
    const session = await page.context().newCDPSession(page)
    let posted = 0
    const heapAfter = async (messages: number) => {
      while (posted < messages)
        await Promise.all([
          ...Array.from({ length: 20 }, () => post(owner, otherRoomId, `Kept ${++posted}, until it is far away`)),
          new Promise((resolve) => setTimeout(resolve, 220)),
        ])
      await messageWith(page, `Kept ${posted},`).first().waitFor()
      return heapOf(session)
    }
    const early = await heapAfter(2_000)
    const late = await heapAfter(10_000)
    note('heap after 2,000 and after 10,000 messages', `${mb(early)}, ${mb(late)} MB`)
    expect(late - early).toBeLessThan(maxHeapGrowthBytes)
  },
  400_000,
)
