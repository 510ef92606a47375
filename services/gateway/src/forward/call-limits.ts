import { eagerLimiter, type RedisClient } from '@parley/redis'
import type { Config } from '../config.ts'
import { tooManyCalls } from '../errors.ts'
import type { LimitClass } from './limit-class.ts'

/** How many calls of each kind a caller may make: users by id, those who are not signed in by network. */
export type CallLimits = {
  /** Counts a call. Throws `resource_exhausted` when there were too many lately. */
  take(limit: LimitClass, who: string): void
}

type Settings = Pick<Config, 'readsPerMinute' | 'writesPerMinute' | 'searchesPerMinute' | 'uploadsPerMinute'>

export function openCallLimits(redis: RedisClient, settings: Settings): CallLimits & AsyncDisposable {
  const perMinute = (kind: LimitClass, points: number) =>
    eagerLimiter({ redis, key: `calls:${kind}`, points, windowMs: 60_000 })
  const limiters = {
    read: perMinute('read', settings.readsPerMinute),
    write: perMinute('write', settings.writesPerMinute),
    search: perMinute('search', settings.searchesPerMinute),
    upload: perMinute('upload', settings.uploadsPerMinute),
  }
  return {
    take(limit, who) {
      const waitMs = limiters[limit].take(who)
      if (waitMs > 0) throw tooManyCalls(limit, waitMs)
    },
    async [Symbol.asyncDispose]() {
      for (const limiter of Object.values(limiters)) await limiter[Symbol.asyncDispose]()
    },
  }
}
