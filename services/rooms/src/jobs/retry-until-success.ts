import { isServiceUnavailable } from '@parley/postgres'
import { retry } from '@parley/runtime'
import { reportRetry } from '../metrics.ts'

/**
 * During this time after the first attempt, unavailable services are not logged, because services start concurrently.
 */
const startUpMs = 10_000

export async function retryUntilSuccess(
  task: string,
  signal: AbortSignal,
  work: () => Promise<void>,
  report = reportRetry,
): Promise<void> {
  const startedAt = performance.now()
  const isStartingUp = (error: unknown) => isServiceUnavailable(error) && performance.now() - startedAt < startUpMs
  const attempt = () =>
    work().catch((error: unknown) => {
      if (!signal.aborted && !isStartingUp(error)) report(task, error)
      throw error
    })
  await retry(attempt, { signal, initialMs: 100, maxMs: 2000 })
}
