import { eagerLimiter, type RedisClient } from '@parley/redis'
import { tooManyTrials } from '../errors.ts'

/** Calls that come without a credential that holds, by the network they come from. */
export type Trials = {
  /** Throws `resource_exhausted` when there were too many lately: then nobody is asked about further ones. */
  assertLeft(network: string): void
  /** Counts one. */
  failed(network: string): void
}

/** What an attacker with very many addresses may make one process remember. */
const mostNetworks = 50_000

export function openTrials(redis: RedisClient, perMinute: number): Trials & AsyncDisposable {
  const limiter = eagerLimiter({ redis, key: 'trials', points: perMinute, windowMs: 60_000, mostIds: mostNetworks })
  return {
    assertLeft(network) {
      const waitMs = limiter.wait(network)
      if (waitMs > 0) throw tooManyTrials(waitMs)
    },
    failed: (network) => void limiter.take(network),
    [Symbol.asyncDispose]: () => limiter[Symbol.asyncDispose](),
  }
}
