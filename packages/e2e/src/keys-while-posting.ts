import { eventually } from '@parley/testkit'
import type { Page } from 'playwright-core'
import type { Person } from './people.ts'
import { post } from './rooms.ts'

const keys = 100
const keyEveryMs = 100
let lastPosted = 0

export const newestPosted = (): string => `Arriving ${lastPosted}`

/** The members together post `perSecond` messages a second. */
export type PostLoad = { roomId: string; authors: readonly [Person, ...Person[]]; perSecond: number }

/** `taken`: the delays from a key to the next paint, slowest first, in milliseconds. `posted`: messages per second. */
type TypingResult = { taken: number[]; posted: number }

export async function keysWhilePosting(page: Page, { roomId, authors, perSecond }: PostLoad): Promise<TypingResult> {
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
      const body = `Arriving ${++lastPosted}`
      const author = authors[at % authors.length] ?? first
      // An overloaded server refuses some calls; they are repeated.
      return eventually(() => post(author, roomId, body))
    })
    await Promise.all([...posts, page.keyboard.press('a'), new Promise((resolve) => setTimeout(resolve, keyEveryMs))])
  }
  const posted = (keys * perKey * 1_000) / (performance.now() - began)
  // Any of the messages posted concurrently may be the newest.
  await post(first, roomId, `Arriving ${++lastPosted}`)
  const taken = await page.evaluate<number[]>('[...taken.values()]')
  return { taken: taken.sort((a, b) => b - a), posted }
}

const formatDelay = (ms: number | undefined) => (ms === undefined ? 'below 16 ms' : `${ms.toFixed(0)} ms`)
export const summariseDelays = ({ taken, posted }: TypingResult) =>
  `${[taken[0], taken[keys / 50], taken[keys / 2]].map(formatDelay).join(', ')} (at ${posted.toFixed(0)} a second)`
