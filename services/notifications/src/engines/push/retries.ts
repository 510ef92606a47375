/** How patiently pushes are tried. */
export type Patience = {
  /** Pause after the first failure; it doubles with each one. Hosts are left alone for as long. */
  firstMs: number
  longestMs: number
  /** Age at which a push that failed is given up. */
  giveUpMs: number
}

export const patience: Patience = { firstMs: 2_000, longestMs: 600_000, giveUpMs: 3 * 3_600_000 }

type Failed = { attempts: number; ageMs: number; retryAfterMs: number }

/** How long to wait before a push is tried again; undefined to give it up. Chance keeps those that failed together apart. */
export function pauseBefore({ attempts, ageMs, retryAfterMs }: Failed, patience: Patience): number | undefined {
  const backoff = Math.min(patience.firstMs * 2 ** (attempts - 1), patience.longestMs) * (1 - Math.random() / 2)
  const pause = Math.max(backoff, retryAfterMs * (1 + Math.random() / 10))
  return ageMs + pause > patience.giveUpMs ? undefined : pause
}
