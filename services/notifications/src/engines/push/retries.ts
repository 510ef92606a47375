import { backoffMs, type Backoff } from '@parley/runtime'

/** How patiently pushes are tried; hosts are left alone for as long. */
export type Patience = Backoff & {
  /** Age at which a push that failed is given up. */
  giveUpMs: number
}

export const patience: Patience = { firstMs: 2_000, longestMs: 600_000, giveUpMs: 3 * 3_600_000 }

type Failed = { attempts: number; ageMs: number; retryAfterMs: number }

/** How long to wait before a push is tried again; undefined to give it up. */
export function pauseBefore({ attempts, ageMs, retryAfterMs }: Failed, patience: Patience): number | undefined {
  const pause = Math.max(backoffMs(patience, attempts), retryAfterMs * (1 + Math.random() / 10))
  return ageMs + pause > patience.giveUpMs ? undefined : pause
}
