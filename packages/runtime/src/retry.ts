import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from './backoff.ts'

/** Attempts and pauses of a retry. */
export type RetryOptions = {
  /** Aborts the retries; the result rejects with its reason. */
  signal?: AbortSignal
  /** Pause after the first failure. It doubles with each failure, and up to half of it is random. */
  initialMs: number
  /** Longest pause. */
  maxMs: number
  /** If this returns true for an error, the retries end and the error is thrown. By default they never end. */
  until?: (error: unknown) => boolean
}

/** Calls `fn` until it succeeds and returns its result. */
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

/** Waits; rejects with the signal's reason when it is aborted. */
async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(milliseconds, undefined, signal ? { signal } : {}).catch(() => undefined)
  signal?.throwIfAborted()
}
