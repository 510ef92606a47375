import { eventually } from '@parley/testkit'
import type { Page } from 'playwright-core'
import type { Person } from './people.ts'
import { post } from './rooms.ts'

const keys = 100
const keyEveryMs = 100
let lastPosted = 0

export const newestPosted = (): string => `Arriving ${lastPosted}`

/** The authors together post `perSecond` messages a second. */
export type PostLoad = { roomId: string; authors: readonly [Person, ...Person[]]; perSecond: number }

/** `delays`: from a key to the next paint, slowest first, in milliseconds. Delays below 16 ms are missing. */
type TypingResult = { delays: number[]; postsPerSecond: number }

export async function keysWhilePosting(page: Page, { roomId, authors, perSecond }: PostLoad): Promise<TypingResult> {
  const [first] = authors
  const perKey = (perSecond * keyEveryMs) / 1_000
  await page.evaluate(`globalThis.delays = new Map();
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries())
        if (interactionId > 0) delays.set(interactionId, Math.max(duration, delays.get(interactionId) ?? 0))
    }).observe({ type: 'event', durationThreshold: 16 })`)
  const began = performance.now()
  for (let key = 0; key < keys; key++) {
    const posts = Array.from({ length: perKey }, (_, at) => {
      const body = `Arriving ${++lastPosted}`
      const author = authors[at % authors.length] ?? first
      // An overloaded server refuses some calls; they are repeated.
      return eventually(() => post(author, roomId, body))
    })
    await Promise.all([...posts, page.keyboard.press('a'), new Promise((resolve) => setTimeout(resolve, keyEveryMs))])
  }
  const postsPerSecond = (keys * perKey * 1_000) / (performance.now() - began)
  // Any of the messages posted concurrently may be the newest.
  await post(first, roomId, `Arriving ${++lastPosted}`)
  const delays = await page.evaluate<number[]>('[...delays.values()]')
  return { delays: delays.sort((a, b) => b - a), postsPerSecond }
}

const formatDelay = (ms: number | undefined) => (ms === undefined ? 'below 16 ms' : `${ms.toFixed(0)} ms`)
/** The slowest delay, the 98th percentile and the median. */
export const summariseDelays = ({ delays, postsPerSecond }: TypingResult) =>
  `${[delays[0], delays[keys / 50], delays[keys / 2]].map(formatDelay).join(', ')} (at ${postsPerSecond.toFixed(0)} a second)`
