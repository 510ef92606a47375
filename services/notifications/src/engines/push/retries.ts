import { backoffMs, type Backoff } from '@parley/runtime'

/** `initialMs` is also how long a push service gets no pushes after its first failure. */
export type RetryLimits = Backoff & {
  /** A failed push is given up if its next attempt would come after this age. */
  giveUpMs: number
}

export const retryLimits: RetryLimits = { initialMs: 2_000, maxMs: 600_000, giveUpMs: 3 * 3_600_000 }

type Failed = { attempts: number; ageMs: number; retryAfterMs: number }

export function retryPauseMs({ attempts, ageMs, retryAfterMs }: Failed, retryLimits: RetryLimits): number | undefined {
  const pause = Math.max(backoffMs(retryLimits, attempts), retryAfterMs * (1 + Math.random() / 10))
  return ageMs + pause > retryLimits.giveUpMs ? undefined : pause
}
