import { eagerLimiter, takeFromNetworks, type RedisClient } from '@parley/redis'
import type { Config } from '../../config.ts'
import { tooManyCalls } from '../../errors.ts'
import type { LimitClass } from './limit-class.ts'

export type CallLimits = {
  /** Throws `resource_exhausted` if there were too many calls recently. */
  take(limit: LimitClass, userId: string): void
  takeFrom(limit: LimitClass, address: string): void
}

type Settings = Pick<
  Config,
  'readsPerMinute' | 'writesPerMinute' | 'searchesPerMinute' | 'uploadsPerMinute' | 'outboundPerMinute'
>

export function openCallLimits(redis: RedisClient, settings: Settings): CallLimits & AsyncDisposable {
  const perMinute = (kind: LimitClass, points: number) =>
    eagerLimiter({ redis, key: `calls:${kind}`, points, windowMs: 60_000 })
  const limiters = {
    read: perMinute('read', settings.readsPerMinute),
    write: perMinute('write', settings.writesPerMinute),
    search: perMinute('search', settings.searchesPerMinute),
    upload: perMinute('upload', settings.uploadsPerMinute),
    outbound: perMinute('outbound', settings.outboundPerMinute),
  }
  return {
    take(limit, userId) {
      const waitMs = limiters[limit].take(userId)
      if (waitMs > 0) throw tooManyCalls(limit, waitMs)
    },
    takeFrom(limit, address) {
      const waitMs = takeFromNetworks(limiters[limit], address)
      if (waitMs > 0) throw tooManyCalls(limit, waitMs)
    },
    async [Symbol.asyncDispose]() {
      for (const limiter of Object.values(limiters)) await limiter[Symbol.asyncDispose]()
    },
  }
}
