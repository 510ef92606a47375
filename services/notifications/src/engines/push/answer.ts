/** What a push service made of a push. */
export type Answer =
  /** It takes care of it now. */
  | { outcome: 'accepted' }
  /** The subscription is no more. */
  | { outcome: 'gone' }
  /** It does not want this push, and will not want it later. */
  | { outcome: 'refused' }
  /** The endpoint leads into the own network. */
  | { outcome: 'blocked' }
  /** It may take it later; `isTroubled` is undefined when it was not asked: then nothing is known of it. */
  | { outcome: 'busy'; isTroubled: boolean | undefined; retryAfterMs: number }

/** Reads what a push service answered. */
export function answerOf(status: number, retryAfter: string | undefined, now: Date): Answer {
  if (status >= 200 && status < 300) return { outcome: 'accepted' }
  if (status === 404 || status === 410) return { outcome: 'gone' }
  // Who says "too many" is well, and may mean this one browser.
  if (status === 429) return { outcome: 'busy', isTroubled: false, retryAfterMs: waitOf(retryAfter, now) }
  if (status >= 500 || status === 408)
    return { outcome: 'busy', isTroubled: true, retryAfterMs: waitOf(retryAfter, now) }
  return { outcome: 'refused' }
}

const longestWaitMs = 3_600_000

/** How long `Retry-After` asks to wait, in seconds or until a date; an hour at most, 0 when it asks for nothing. */
function waitOf(retryAfter: string | undefined, now: Date): number {
  const text = retryAfter?.trim() ?? ''
  const asked = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return asked > 0 ? Math.min(asked, longestWaitMs) : 0
}
