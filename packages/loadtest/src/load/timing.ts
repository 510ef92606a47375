/** Quantiles are in milliseconds. */
export type Timing = { p50: number; p99: number; perSecond: number; count: number }

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

/**
 * Measures runs of `work`, with `inFlight` at a time (default 1): first for `warmUpSeconds` (default 1), which are
 * not counted, and then for `seconds` (default 4). If a run fails, rejects once the runs in flight have ended.
 */
export async function time(
  work: () => Promise<unknown>,
  {
    inFlight = 1,
    seconds = 4,
    warmUpSeconds = 1,
  }: { inFlight?: number; seconds?: number; warmUpSeconds?: number } = {},
): Promise<Timing> {
  const took: number[] = []
  const measuredFrom = performance.now() + warmUpSeconds * 1000
  const end = measuredFrom + seconds * 1000
  let failed = false
  const worker = async (): Promise<void> => {
    while (!failed) {
      const start = performance.now()
      if (start >= end) return
      await work().catch((error: unknown) => {
        failed = true
        throw error
      })
      if (start >= measuredFrom) took.push(performance.now() - start)
    }
  }
  const results = await Promise.allSettled(Array.from({ length: inFlight }, worker))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  // After a warm-up, the rate is that of the starts within `seconds`. Without one, `inFlight` runs start at once, so
  // the time until the last runs end is counted too.
  return summarize(took, warmUpSeconds > 0 ? seconds : (performance.now() - measuredFrom) / 1000)
}

/** The durations are in milliseconds; the runs took `seconds` in all. Sorts `took` in place. */
export function summarize(took: number[], seconds: number): Timing {
  const sorted = took.sort((a, b) => a - b)
  return {
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    perSecond: sorted.length / seconds,
    count: sorted.length,
  }
}
