import { createHash } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Allowance, NetworkLimiter, RateLimiter } from '@parley/redis'
import { tooManySignIns } from '../../errors.ts'

export type SignInAttempts = ReturnType<typeof createSignInAttempts>

/** An account is identified by the text that was typed: a login and an e-mail address count separately. */
type Limits = {
  perAccountAndAddress: NetworkLimiter
  perAddress: NetworkLimiter
  /** Above this limit only one attempt per 5 s is admitted. */
  perAccount: RateLimiter
  /** Admits one attempt per 5 s, above the limit per account. */
  turn: RateLimiter
  perKnownBrowser: RateLimiter
  /** For all known browsers of the account together. */
  knownPerAccount: RateLimiter
}

export type AttemptOrigin = {
  address: string
  /** Id of a browser that signed in to this account before; undefined for any other browser. */
  knownBrowser: string | undefined
}

type Counter = { take: () => Promise<Allowance>; refund: () => Promise<void> }

/**
 * The limit per account only slows attempts down: a hard limit would let anyone lock anyone out. Known browsers have
 * their own budget. An attempt is counted before it is made, so that concurrent attempts cannot exceed the limit. It is
 * refunded unless it fails with `unauthenticated`.
 */
export function createSignInAttempts(limits: Limits) {
  const countersOfKnownBrowser = (account: string, browser: string): Counter[] => [
    counterOf(limits.perKnownBrowser, browser),
    counterOf(limits.knownPerAccount, account),
  ]
  const countersOfUnknownBrowser = (account: string, address: string): Counter[] => [
    {
      take: () => limits.perAccountAndAddress.consume(address, account),
      refund: () => limits.perAccountAndAddress.refund(address, account),
    },
    { take: () => limits.perAddress.consume(address), refund: () => limits.perAddress.refund(address) },
    {
      async take() {
        const { allowed } = await limits.perAccount.consume(account)
        if (allowed) return { allowed, retryAfterMs: 0 }
        const turn = await limits.turn.consume(account)
        if (!turn.allowed) await limits.perAccount.refund(account)
        return turn
      },
      refund: () => limits.perAccount.refund(account),
    },
  ]
  return {
    /** Throws `resource_exhausted` without running the attempt if a limit is reached. */
    async run<T>(identifier: string, { address, knownBrowser }: AttemptOrigin, attempt: () => Promise<T>): Promise<T> {
      const account = digest(identifier.trim().toLowerCase())
      const known =
        knownBrowser === undefined ? undefined : await takeAll(countersOfKnownBrowser(account, knownBrowser))
      const counted = known?.refund ? known : await takeAll(countersOfUnknownBrowser(account, address))
      if (!counted.refund) throw tooManySignIns(counted.retryAfterMs)
      try {
        const result = await attempt()
        await counted.refund()
        return result
      } catch (error) {
        if (!(error instanceof ConnectError) || error.code !== Code.Unauthenticated) await counted.refund()
        throw error
      }
    },
  }
}

const counterOf = (limiter: RateLimiter, id: string): Counter => ({
  take: () => limiter.consume(id),
  refund: () => limiter.refund(id),
})

/** Takes a point from each counter or from none; `refund` is undefined if none was taken. */
async function takeAll(
  counters: Counter[],
): Promise<{ refund: (() => Promise<unknown>) | undefined; retryAfterMs: number }> {
  const taken: Counter[] = []
  const refund = () => Promise.all(taken.map((counter) => counter.refund()))
  for (const counter of counters) {
    const { allowed, retryAfterMs } = await counter.take()
    if (!allowed) {
      await refund()
      return { refund: undefined, retryAfterMs }
    }
    taken.push(counter)
  }
  return { refund, retryAfterMs: 0 }
}

/** Hashed, so that Redis does not contain what people typed into the login field. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')
