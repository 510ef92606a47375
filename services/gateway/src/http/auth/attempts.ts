import { createHash } from 'node:crypto'
import type { RateLimiter } from '@parley/redis'

export type SignInAttempts = ReturnType<typeof signInAttempts>

/**
 * Failed sign-ins are counted per (account, address) and per address. Never per account alone: that would let anyone lock
 * anyone out.
 */
export function signInAttempts(budgets: { perAccountAndAddress: RateLimiter; perAddress: RateLimiter }) {
  // Counters live in Redis: what people typed into the login field does not.
  const pair = (identifier: string, address: string) =>
    createHash('sha256').update(`${identifier.toLowerCase()}\0${address}`).digest('base64url')
  return {
    /** Milliseconds to wait; 0 while attempts are left. */
    async check(identifier: string, address: string): Promise<number> {
      const budgetsLeft = await Promise.all([
        budgets.perAccountAndAddress.check(pair(identifier, address)),
        budgets.perAddress.check(address),
      ])
      return Math.max(...budgetsLeft.map(({ retryAfterMs }) => retryAfterMs))
    },
    async failed(identifier: string, address: string): Promise<void> {
      await Promise.all([
        budgets.perAccountAndAddress.consume(pair(identifier, address)),
        budgets.perAddress.consume(address),
      ])
    },
  }
}
