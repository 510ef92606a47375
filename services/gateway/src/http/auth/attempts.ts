import { createHash } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Allowance, NetworkLimiter, RateLimiter } from '@parley/redis'
import { tooManySignIns } from '../../errors.ts'

export type SignInAttempts = ReturnType<typeof signInAttempts>

/**
 * Limits for failed sign-ins. An account is identified by the text that was typed: a login and an address count
 * separately.
 */
type Limits = {
  perAccountAndAddress: NetworkLimiter
  perAddress: NetworkLimiter
  /** Above this number attempts are let through one at a time. */
  perAccount: RateLimiter
  /** A limit of one point, for the attempt that is let through. */
  turn: RateLimiter
  perKnownBrowser: RateLimiter
  /** Limit for all browsers together that signed in to the account before. */
  knownPerAccount: RateLimiter
}

/** Origin of a sign-in attempt. */
export type Attempter = {
  address: string
  /** Identifies a browser that signed in to this account before. */
  knownBrowser: string | undefined
}

type Count = { take: () => Promise<Allowance>; giveBack: () => Promise<void> }

/**
 * Limits failed sign-ins per (account, network) and per network. The limit per account alone only slows attempts down
 * to one at a time; otherwise anyone could lock anyone out. Browsers that signed in to the account before have their
 * own budget, so that failures of others do not slow them down. An attempt is counted before it is made, and the count
 * is returned if it succeeds, so that concurrent attempts cannot exceed the limit.
 */
export function signInAttempts(limits: Limits) {
  const ofKnownBrowser = (account: string, browser: string): Count[] => [
    countOf(limits.perKnownBrowser, browser),
    countOf(limits.knownPerAccount, account),
  ]
  const ofStranger = (account: string, address: string): Count[] => [
    {
      take: () => limits.perAccountAndAddress.consume(address, account),
      giveBack: () => limits.perAccountAndAddress.refund(address, account),
    },
    { take: () => limits.perAddress.consume(address), giveBack: () => limits.perAddress.refund(address) },
    {
      async take() {
        const { allowed } = await limits.perAccount.consume(account)
        if (allowed) return { allowed, retryAfterMs: 0 }
        const turn = await limits.turn.consume(account)
        if (!turn.allowed) await limits.perAccount.refund(account)
        return turn
      },
      giveBack: () => limits.perAccount.refund(account),
    },
  ]
  return {
    /**
     * Runs an attempt, of which `unauthenticated` counts as a failure. Throws `resource_exhausted` without running it
     * if no attempts are left.
     */
    async run<T>(identifier: string, { address, knownBrowser }: Attempter, attempt: () => Promise<T>): Promise<T> {
      const account = digest(identifier.trim().toLowerCase())
      const known = knownBrowser === undefined ? undefined : await takeAll(ofKnownBrowser(account, knownBrowser))
      const counted = known?.giveBack ? known : await takeAll(ofStranger(account, address))
      if (!counted.giveBack) throw tooManySignIns(counted.retryAfterMs)
      try {
        const result = await attempt()
        await counted.giveBack()
        return result
      } catch (error) {
        if (!(error instanceof ConnectError) || error.code !== Code.Unauthenticated) await counted.giveBack()
        throw error
      }
    },
  }
}

const countOf = (limiter: RateLimiter, id: string): Count => ({
  take: () => limiter.consume(id),
  giveBack: () => limiter.refund(id),
})

/** Takes a point from each limiter or from none; `giveBack` is undefined if none was taken. */
async function takeAll(
  counts: Count[],
): Promise<{ giveBack: (() => Promise<unknown>) | undefined; retryAfterMs: number }> {
  const taken: Count[] = []
  const giveBack = () => Promise.all(taken.map((count) => count.giveBack()))
  for (const count of counts) {
    const { allowed, retryAfterMs } = await count.take()
    if (!allowed) {
      await giveBack()
      return { giveBack: undefined, retryAfterMs }
    }
    taken.push(count)
  }
  return { giveBack, retryAfterMs: 0 }
}

/** Hashes the login, so that Redis does not contain what people typed into the login field. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')
