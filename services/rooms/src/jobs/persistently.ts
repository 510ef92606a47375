import { retry } from '@parley/runtime'
import { reportRetry } from '../metrics.ts'

/** Does something once, trying until it succeeds or the process ends. */
export async function persistently(task: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const attempt = () =>
    work().catch((error: unknown) => {
      if (!signal.aborted) reportRetry(task, error)
      throw error
    })
  await retry(attempt, { signal, initialMs: 100, maxMs: 2000 })
}
