import { createHash } from 'node:crypto'

/** One budget of failed attempts. */
export type Budget = {
  /** Milliseconds to wait, or undefined while attempts are left. */
  check: (id: string) => Promise<number | undefined>
  spend: (id: string) => Promise<void>
}

export type SignInAttempts = ReturnType<typeof signInAttempts>

/**
 * Failed sign-ins are counted per (account, address) and per address. Never per account alone: that would let anyone lock
 * anyone out.
 */
export function signInAttempts(budgets: { perAccountAndAddress: Budget; perAddress: Budget }) {
  // Counters live in Redis: what people typed into the login field does not.
  const pair = (identifier: string, address: string) =>
    createHash('sha256').update(`${identifier.toLowerCase()}\0${address}`).digest('base64url')
  return {
    async check(identifier: string, address: string): Promise<number | undefined> {
      const waits = await Promise.all([
        budgets.perAccountAndAddress.check(pair(identifier, address)),
        budgets.perAddress.check(address),
      ])
      const needed = waits.filter((wait) => wait !== undefined)
      return needed.length > 0 ? Math.max(...needed) : undefined
    },
    async failed(identifier: string, address: string): Promise<void> {
      await Promise.all([
        budgets.perAccountAndAddress.spend(pair(identifier, address)),
        budgets.perAddress.spend(address),
      ])
    },
  }
}
