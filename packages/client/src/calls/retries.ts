import type { DescMethod } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { type Backoff, backoffMs } from './backoff.ts'
import { idempotencyKeyHeader } from './idempotency-keys.ts'

export type RetryPolicy = Backoff & {
  /** How often a call is sent at most; with 1, nothing is repeated. */
  attempts: number
}

const defaultPolicy: RetryPolicy = { attempts: 4, initialMs: 200, maxMs: 3_000 }
const timeoutHeader = 'connect-timeout-ms'

/**
 * Repeats calls that fail with `unavailable` and are safe to repeat: reads, idempotent calls, and creations with an
 * idempotency key. Waits at least as long as the server requests (`retry-after`). All attempts together end at the
 * deadline of the call.
 */
export function retries(policy: Partial<RetryPolicy> = {}): Interceptor {
  const { attempts, ...backoff } = { ...defaultPolicy, ...policy }
  return (next) => async (request) => {
    const deadline = deadlineOf(request.header)
    for (let attempt = 1; ; attempt++) {
      try {
        return await next(request)
      } catch (thrown) {
        const error = ConnectError.from(thrown)
        const repeatable = isSafe(request.method) || request.header.has(idempotencyKeyHeader)
        if (error.code !== Code.Unavailable || !repeatable || attempt >= attempts) throw error
        const delayMs = Math.max(retryAfterMs(error) ?? 0, backoffMs(backoff, attempt))
        const leftMs = deadline - performance.now() - delayMs
        if (leftMs <= 0) throw error
        await pause(delayMs, request.signal)
        if (request.header.has(timeoutHeader)) request.header.set(timeoutHeader, String(Math.ceil(leftMs)))
      }
    }
  }
}

function isSafe(method: DescMethod): boolean {
  return (
    method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS ||
    method.idempotency === MethodOptions_IdempotencyLevel.IDEMPOTENT
  )
}

function deadlineOf(header: Headers): number {
  const timeoutMs = header.get(timeoutHeader)
  return timeoutMs === null ? Infinity : performance.now() + Number(timeoutMs)
}

function retryAfterMs(error: ConnectError): number | undefined {
  const seconds = Number(error.metadata.get('retry-after') ?? NaN)
  return Number.isFinite(seconds) ? seconds * 1000 : undefined
}

/** Rejects with a ConnectError as soon as the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(ConnectError.from(signal.reason, Code.Canceled))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
