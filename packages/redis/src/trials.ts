import { eagerLimiter } from './eager-limiter.ts'
import type { RedisClient } from './client.ts'
import { takeOfNetworks, waitOfNetworks } from './networks.ts'

/** Requests that come without a credential that holds, by the networks they come from. Disposing it stops the sharing. */
export type Trials = AsyncDisposable & {
  /** Milliseconds until nobody need be asked about a further one of this address; 0 when there were not too many lately. */
  wait(address: string): number
  /** Counts one. */
  failed(address: string): void
}

/** What an attacker with very many addresses may make one process remember. */
const mostNetworks = 50_000

type Options = {
  /** Without it each process counts for itself. */
  redis?: RedisClient
  /** Of a single customer; 0: no limit. */
  perMinute: number
}

export function openTrials({ redis, perMinute }: Options): Trials {
  const limiter = eagerLimiter({ redis, key: 'trials', points: perMinute, windowMs: 60_000, mostIds: mostNetworks })
  return {
    wait: (address) => waitOfNetworks(limiter, address),
    failed: (address) => void takeOfNetworks(limiter, address),
    [Symbol.asyncDispose]: () => limiter[Symbol.asyncDispose](),
  }
}
