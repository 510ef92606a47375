import { eventually } from '@parley/testkit'
import type { Page } from 'playwright-core'
import type { Person } from './people.ts'
import { post } from './rooms.ts'

const keys = 100
/** A key is pressed at most this often. */
const keyEveryMs = 100
let arriving = 0

/** Text of the newest message that was posted meanwhile. */
export const newestPosted = (): string => `Arriving ${arriving}`

/** A room in which some people write messages, all of them together so many a second. */
export type Traffic = { roomId: string; authors: readonly [Person, ...Person[]]; perSecond: number }

/** How long keys took until the next paint, slowest first, and how many messages a second were posted meanwhile. */
type Typed = { taken: number[]; posted: number }

/**
 * Types while messages are posted: how long each key took until the next paint, in milliseconds, slowest first, and how
 * many messages a second there were. The browser counts in steps of 8 and leaves out what takes less than 16.
 */
export async function keysWhilePosting(page: Page, { roomId, authors, perSecond }: Traffic): Promise<Typed> {
  const [first] = authors
  const perKey = (perSecond * keyEveryMs) / 1_000
  await page.evaluate(`globalThis.taken = new Map();
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries())
        if (interactionId > 0) taken.set(interactionId, Math.max(duration, taken.get(interactionId) ?? 0))
    }).observe({ type: 'event', durationThreshold: 16 })`)
  const began = performance.now()
  for (let key = 0; key < keys; key++) {
    const posts = Array.from({ length: perKey }, (_, at) => {
      const body = `Arriving ${++arriving}`
      const author = authors[at % authors.length] ?? first
      // An overloaded server refuses, and the call is repeated.
      return eventually(() => post(author, roomId, body))
    })
    await Promise.all([...posts, page.keyboard.press('a'), new Promise((resolve) => setTimeout(resolve, keyEveryMs))])
  }
  const posted = (keys * perKey * 1_000) / (performance.now() - began)
  // Any of the messages posted concurrently may be the newest.
  await post(first, roomId, `Arriving ${++arriving}`)
  const taken = await page.evaluate<number[]>('[...taken.values()]')
  return { taken: taken.sort((a, b) => b - a), posted }
}

const upToPaint = (ms: number | undefined) => (ms === undefined ? 'below 16 ms' : `${ms.toFixed(0)} ms`)
/** The slowest of all keys, the slowest but one in fifty, and the one in the middle. */
export const inShort = ({ taken, posted }: Typed) =>
  `${[taken[0], taken[keys / 50], taken[keys / 2]].map(upToPaint).join(', ')} (at ${posted.toFixed(0)} a second)`
