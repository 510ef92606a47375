export type Answer =
  | { outcome: 'accepted' }
  | { outcome: 'gone' }
  | { outcome: 'refused' }
  /** The host of the endpoint is, or resolves to, an address that is not allowed. */
  | { outcome: 'blocked' }
  /**
   * A later attempt may succeed. `isFailing`: whether the push service does not work; undefined if this is not known.
   */
  | { outcome: 'busy'; isFailing: boolean | undefined; retryAfterMs: number }

export function toAnswer(status: number, retryAfter: string | undefined, now: Date): Answer {
  if (status >= 200 && status < 300) return { outcome: 'accepted' }
  if (status === 404 || status === 410) return { outcome: 'gone' }
  // A service that answers "too many requests" is working; the limit may concern only this browser.
  if (status === 429) return { outcome: 'busy', isFailing: false, retryAfterMs: parseRetryAfter(retryAfter, now) }
  if (status >= 500 || status === 408)
    return { outcome: 'busy', isFailing: true, retryAfterMs: parseRetryAfter(retryAfter, now) }
  return { outcome: 'refused' }
}

const maxWaitMs = 3_600_000

/**
 * `Retry-After` in milliseconds; the header is in seconds or a date. At most an hour; 0 if invalid, missing or past.
 */
function parseRetryAfter(retryAfter: string | undefined, now: Date): number {
  const text = retryAfter?.trim() ?? ''
  const requestedMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return requestedMs > 0 ? Math.min(requestedMs, maxWaitMs) : 0
}
