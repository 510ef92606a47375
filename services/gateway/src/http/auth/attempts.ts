import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import type { RateLimiter } from '@parley/redis'
import { tooManySignIns } from '../../errors.ts'
import { networkOf } from '../client-address.ts'

export type SignInAttempts = ReturnType<typeof signInAttempts>

type Options = {
  perAccountAndAddress: RateLimiter
  perAddress: RateLimiter
  /** Counts only: its budget is never looked at. */
  perAccount: RateLimiter
  /** Failures at one account after which further attempts wait. */
  slowAfter: number
  wait?: (ms: number) => Promise<unknown>
}

const firstWaitMs = 250
const longestWaitMs = 5_000

/** How long the next attempt waits after so many failures at its account: twice as long each time, up to five seconds. */
export function waitAfter(failures: number, slowAfter: number): number {
  if (failures < slowAfter) return 0
  return Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures - slowAfter, 10))
}

/**
 * Failed sign-ins are limited per (account, address) and per address. Per account alone they only become slow: a limit
 * there would let anyone lock anyone out. An attempt is counted before it is made and given back when it was none, so many
 * at once cannot slip through together.
 */
export function signInAttempts({ perAccountAndAddress, perAddress, perAccount, slowAfter, wait = sleep }: Options) {
  return {
    /** Runs an attempt; its `unauthenticated` counts as a failure. Throws `resource_exhausted` without running it when no attempts are left. */
    async run<T>(identifier: string, address: string, attempt: () => Promise<T>): Promise<T> {
      const network = networkOf(address)
      const account = digest(identifier.trim().toLowerCase())
      const counts: [RateLimiter, string][] = [
        [perAccountAndAddress, digest(`${account}\0${network}`)],
        [perAddress, network],
      ]
      const taken: [RateLimiter, string][] = []
      const giveBack = () => Promise.all(taken.map(([limiter, id]) => limiter.refund(id)))
      for (const [limiter, id] of counts) {
        const { allowed, retryAfterMs } = await limiter.consume(id)
        if (!allowed) {
          await giveBack()
          throw tooManySignIns(retryAfterMs)
        }
        taken.push([limiter, id])
      }
      const waitMs = waitAfter(await perAccount.spent(account), slowAfter)
      await perAccount.consume(account)
      taken.push([perAccount, account])
      if (waitMs > 0) await wait(waitMs)
      try {
        const result = await attempt()
        await giveBack()
        return result
      } catch (error) {
        if (!(error instanceof ConnectError) || error.code !== Code.Unauthenticated) await giveBack()
        throw error
      }
    },
  }
}

/** Counters live in Redis: what people typed into the login field does not. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')
