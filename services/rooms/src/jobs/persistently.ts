import { isServiceUnavailable } from '@parley/postgres'
import { retry } from '@parley/runtime'
import { reportRetry } from '../metrics.ts'

/** How long another service may take until its first response, because services start concurrently. */
const defaultStartMs = 10_000

/** Retries something until it succeeds once or the process ends. */
export async function persistently(
  task: string,
  signal: AbortSignal,
  work: () => Promise<void>,
  report = reportRetry,
): Promise<void> {
  const begunAt = performance.now()
  const isUsual = (error: unknown) => isServiceUnavailable(error) && performance.now() - begunAt < defaultStartMs
  const attempt = () =>
    work().catch((error: unknown) => {
      if (!signal.aborted && !isUsual(error)) report(task, error)
      throw error
    })
  await retry(attempt, { signal, initialMs: 100, maxMs: 2000 })
}
