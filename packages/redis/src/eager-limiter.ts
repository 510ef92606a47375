import type { Redis } from 'ioredis'
import { CountSharing, type Count } from './count-sharing.ts'

/** `points` per id in a fixed window of time. */
export type EagerLimit = {
  /** Without a client each process counts on its own. */
  redis?: Redis | undefined
  /** Limits with the same key share their counts. */
  key: string
  /** 0: no limit. */
  points: number
  windowMs: number
  /** Interval of flushes. Default: every second. */
  flushEveryMs?: number
  /** Ids counted separately in a window; further ones share one count. Default: any number. */
  maxIds?: number
  now?: () => number
}

/** Disposing stops the sharing. */
export type EagerLimiter = AsyncDisposable & {
  /**
   * Takes one point of this id, whose limit is `budgetFactor` (default 1) times `points`. Returns 0, or the
   * milliseconds until there are points again.
   */
  take(id: string, budgetFactor?: number): number
  /** Points left in this window, as far as this process knows. */
  left(id: string, budgetFactor?: number): number
  /** Milliseconds until there are points again; 0 if there are some now. Takes no point. */
  wait(id: string, budgetFactor?: number): number
}

const others = '*'

/**
 * Counts in this process and shares the counts periodically, so that no call waits for Redis. Several processes
 * together may exceed the limit by the calls that they count between two flushes. While Redis is unavailable each
 * process counts on its own.
 */
export function eagerLimiter(options: EagerLimit): EagerLimiter {
  const { points, windowMs, maxIds = Infinity, now = Date.now } = options
  const counts = new Map<string, Count>()
  let window = 0

  const currentWindow = (): number => {
    const current = Math.floor(now() / windowMs)
    if (current !== window) {
      window = current
      counts.clear()
      sharing.clear()
    }
    return current
  }
  const sharing = new CountSharing(options, currentWindow)

  const slotOf = (id: string): string => (counts.size < maxIds || counts.has(id) ? id : others)
  const isSpent = (count: Count | undefined, budgetFactor: number): boolean =>
    count !== undefined && count.shared + count.local >= points * budgetFactor

  return {
    take(id, budgetFactor = 1) {
      if (points === 0) return 0
      const current = currentWindow()
      const slot = slotOf(id)
      let count = counts.get(slot)
      if (!count) counts.set(slot, (count = { window: current, shared: 0, local: 0 }))
      if (isSpent(count, budgetFactor)) return (current + 1) * windowMs - now()
      if (count.local++ === 0) sharing.add(slot, count)
      return 0
    },
    left(id, budgetFactor = 1) {
      if (points === 0) return Infinity
      currentWindow()
      const count = counts.get(slotOf(id))
      return points * budgetFactor - (count ? count.shared + count.local : 0)
    },
    wait(id, budgetFactor = 1) {
      if (points === 0) return 0
      const current = currentWindow()
      return isSpent(counts.get(slotOf(id)), budgetFactor) ? (current + 1) * windowMs - now() : 0
    },
    [Symbol.asyncDispose]: () => sharing[Symbol.asyncDispose](),
  }
}
