import type { Redis } from 'ioredis'
import { logger } from '@parley/telemetry'
import { rateLimitPrefix } from './keys.ts'

/** A limit that answers at once: so many points per id in a window of the clock. */
export type EagerLimit = {
  /** Without it each process counts for itself. */
  redis?: Redis | undefined
  /** Name of the limit; limits of one name share their counts. */
  key: string
  /** 0: no limit. */
  points: number
  windowMs: number
  /** How often what was counted here is added to what all count. Default: every second. */
  flushEveryMs?: number
  /** Ids that are told apart in a window; further ones count together. Default: any number. */
  mostIds?: number
  now?: () => number
}

/** Counts uses of something without ever waiting. Disposing it stops the sharing. */
export type EagerLimiter = AsyncDisposable & {
  /** Takes one point of this id, which has `share` times the points (1). Answers 0, or the milliseconds until there are points again. */
  take(id: string, share?: number): number
  /** Points this id has left in this window, as far as is known here. */
  left(id: string, share?: number): number
  /** Milliseconds until there are points again; 0 when there are some now. Takes none. */
  wait(id: string, share?: number): number
}

/** `shared`: what all processes are known to have taken, `here`: what this one took since it last told. */
type Count = { window: number; shared: number; here: number }

const mostPerPipeline = 1_000
/** Stands for the ids beyond those that are told apart. */
const others = '*'

/**
 * Counts in this process and tells the others once in a while, so that no call waits for Redis: several processes together
 * may give out what they take between two flushes beyond the limit. While Redis is away each process counts for itself.
 */
export function eagerLimiter(options: EagerLimit): EagerLimiter {
  const { redis, key, points, windowMs, mostIds = Infinity, now = Date.now } = options
  const counts = new Map<string, Count>()
  const untold = new Map<string, Count>()
  const log = logger('redis')
  let window = 0

  const currentWindow = (): number => {
    const current = Math.floor(now() / windowMs)
    if (current !== window) {
      window = current
      counts.clear()
      untold.clear()
    }
    return current
  }
  const tell = async (batch: [string, Count][]): Promise<void> => {
    const told = batch.map(([, count]) => {
      const { here } = count
      count.shared += here
      count.here = 0
      return here
    })
    if (!redis) return
    const pipeline = redis.pipeline()
    batch.forEach(([id, count], index) => {
      const name = `${rateLimitPrefix(key)}:${count.window}:${id}`
      pipeline.incrby(name, told[index] ?? 0).pexpire(name, 2 * windowMs)
    })
    const answers = await pipeline.exec()
    batch.forEach(([, count], index) => {
      const [error, total] = answers?.[2 * index] ?? []
      if (!error && typeof total === 'number') count.shared = Math.max(count.shared, total)
    })
  }
  const flush = async (): Promise<void> => {
    currentWindow()
    if (redis?.status !== 'ready') return
    const batch = [...untold]
    untold.clear()
    for (let at = 0; at < batch.length; at += mostPerPipeline) await tell(batch.slice(at, at + mostPerPipeline))
  }

  let flushing = Promise.resolve()
  // Only while there is something to tell, so that an idle process sleeps.
  let timer: NodeJS.Timeout | undefined
  const flushSoon = (): void => {
    if (!redis) return
    timer ??= setTimeout(() => {
      timer = undefined
      flushing = flushing
        .then(flush)
        .catch((error: unknown) => log.debug({ err: error, key }, 'counts were not shared'))
    }, options.flushEveryMs ?? 1_000).unref()
  }

  const slotOf = (id: string): string => (counts.size < mostIds || counts.has(id) ? id : others)
  const isSpent = (count: Count | undefined, share: number): boolean =>
    count !== undefined && count.shared + count.here >= points * share

  return {
    take(id, share = 1) {
      if (points === 0) return 0
      const current = currentWindow()
      const slot = slotOf(id)
      let count = counts.get(slot)
      if (!count) counts.set(slot, (count = { window: current, shared: 0, here: 0 }))
      if (isSpent(count, share)) return (current + 1) * windowMs - now()
      if (count.here++ === 0) {
        untold.set(slot, count)
        flushSoon()
      }
      return 0
    },
    left(id, share = 1) {
      if (points === 0) return Infinity
      currentWindow()
      const count = counts.get(slotOf(id))
      return points * share - (count ? count.shared + count.here : 0)
    },
    wait(id, share = 1) {
      if (points === 0) return 0
      const current = currentWindow()
      return isSpent(counts.get(slotOf(id)), share) ? (current + 1) * windowMs - now() : 0
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await flushing
    },
  }
}
