import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from './backoff.ts'

export type RetryOptions = {
  /** When it is aborted, `retry` rejects with its reason. */
  signal?: AbortSignal
  /** Pause after the first failure. Each further failure doubles it, up to `maxMs`. Up to half of a pause is random. */
  initialMs: number
  maxMs: number
  /** Whether to end the retries and throw the error. Default: never. */
  until?: (error: unknown) => boolean
}

export async function retry<T>(fn: () => Promise<T> | T, options: RetryOptions): Promise<T> {
  const { signal, initialMs, maxMs, until } = options
  for (let failures = 1; ; failures++) {
    signal?.throwIfAborted()
    try {
      return await fn()
    } catch (error) {
      if (until?.(error)) throw error
    }
    await sleep(backoffMs({ initialMs, maxMs }, failures), signal)
  }
}

/** Rejects with the signal's reason when it is aborted. */
async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(milliseconds, undefined, signal ? { signal } : {}).catch(() => undefined)
  signal?.throwIfAborted()
}
