import { eagerLimiter } from './eager-limiter.ts'
import type { RedisClient } from './client.ts'
import { LookUpGate } from './look-up-gate.ts'
import { networksOf, takeFromNetworks, waitMsOfNetworks } from './networks.ts'

/** Disposing stops the sharing of counts. */
export type CredentialAttempts = AsyncDisposable & {
  /**
   * Looks up a credential and counts the attempt if none is found. If the running look-ups could use up the points of a
   * network of the address, further look-ups wait for their results, except those of credentials known to be valid
   * (`isKnown`). `waitMs`: 0, or the milliseconds after which to try again, if nothing was looked up because there were
   * too many attempts or the caller was aborted. Rejects as `find` does.
   */
  lookUp<T>(from: Attempt, find: () => Promise<T | undefined>): Promise<{ found: T | undefined; waitMs: number }>
  /** Milliseconds until another attempt is allowed; 0 if one is allowed now. */
  wait(address: string): number
  countFailure(address: string): void
}

type Attempt = {
  address: string
  isKnown: boolean
  /** Called only if the look-up has to wait. A look-up whose signal is aborted while it waits is refused. */
  signal?: () => AbortSignal
}

/** Bounds the memory that an attacker with very many addresses can use. */
const maxNetworks = 50_000

type Options = {
  /** Without a client each process counts on its own. */
  redis?: RedisClient
  /** Limit of a single customer; 0: no limit. */
  perMinute: number
}

export function openCredentialAttempts({ redis, perMinute }: Options): CredentialAttempts {
  const limiter = eagerLimiter({ redis, key: 'trials', points: perMinute, windowMs: 60_000, maxIds: maxNetworks })
  const gate = new LookUpGate(limiter)
  const countFailure = (address: string): void => void takeFromNetworks(limiter, address)
  return {
    async lookUp({ address, isKnown, signal }, find) {
      const networks = isKnown ? [] : networksOf(address)
      const waitMs = await gate.enter(networks, signal)
      if (waitMs > 0) return { found: undefined, waitMs }
      try {
        const found = await find()
        if (found === undefined) countFailure(address)
        return { found, waitMs: 0 }
      } finally {
        gate.leave(networks)
      }
    },
    wait: (address) => waitMsOfNetworks(limiter, address),
    countFailure,
    [Symbol.asyncDispose]: () => limiter[Symbol.asyncDispose](),
  }
}
