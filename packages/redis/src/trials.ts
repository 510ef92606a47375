import { eagerLimiter } from './eager-limiter.ts'
import type { RedisClient } from './client.ts'
import { LookUpGate } from './look-up-gate.ts'
import { networksOf, takeOfNetworks, waitOfNetworks } from './networks.ts'

/** Requests that come without a credential that holds, by the networks they come from. Disposing it stops the sharing. */
export type Trials = AsyncDisposable & {
  /**
   * Has a credential looked up, and counts it when nobody is found. Look-ups under way are counted as well: those beyond
   * what the networks of the address have left wait for an outcome, but for credentials that held before (`isKnown`).
   * `waitMs`: milliseconds after which to try again when it was not looked up, as there were too many or the caller was
   * aborted; otherwise 0. Rejects as `find`.
   */
  lookUp<T>(from: Trial, find: () => Promise<T | undefined>): Promise<{ found: T | undefined; waitMs: number }>
  /** Milliseconds until there are trials again; 0 when there were not too many lately. */
  wait(address: string): number
  /** Counts one that took no look-up. */
  failed(address: string): void
}

type Trial = {
  address: string
  isKnown: boolean
  /** Of the caller, who leaves the queue when it is aborted. Asked for only when the look-up has to wait. */
  signal?: () => AbortSignal
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
  const gate = new LookUpGate(limiter)
  const failed = (address: string): void => void takeOfNetworks(limiter, address)
  return {
    async lookUp({ address, isKnown, signal }, find) {
      const networks = isKnown ? [] : networksOf(address)
      const waitMs = await gate.enter(networks, signal)
      if (waitMs > 0) return { found: undefined, waitMs }
      try {
        const found = await find()
        if (found === undefined) failed(address)
        return { found, waitMs: 0 }
      } finally {
        gate.leave(networks)
      }
    },
    wait: (address) => waitOfNetworks(limiter, address),
    failed,
    [Symbol.asyncDispose]: () => limiter[Symbol.asyncDispose](),
  }
}
