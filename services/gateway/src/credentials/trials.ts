import { eagerLimiter, takeOfNetworks, waitOfNetworks, type RedisClient } from '@parley/redis'
import { tooManyTrials } from '../errors.ts'

/** Calls that come without a credential that holds, by the networks they come from. */
export type Trials = {
  /** Throws `resource_exhausted` when there were too many lately: then nobody is asked about further ones. */
  assertLeft(address: string): void
  /** Counts one. */
  failed(address: string): void
}

/** What an attacker with very many addresses may make one process remember. */
const mostNetworks = 50_000

export function openTrials(redis: RedisClient, perMinute: number): Trials & AsyncDisposable {
  const limiter = eagerLimiter({ redis, key: 'trials', points: perMinute, windowMs: 60_000, mostIds: mostNetworks })
  return {
    assertLeft(address) {
      const waitMs = waitOfNetworks(limiter, address)
      if (waitMs > 0) throw tooManyTrials(waitMs)
    },
    failed: (address) => void takeOfNetworks(limiter, address),
    [Symbol.asyncDispose]: () => limiter[Symbol.asyncDispose](),
  }
}
