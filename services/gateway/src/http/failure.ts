import { Code, ConnectError } from '@connectrpc/connect'
import { codeToHttpStatus } from '@connectrpc/connect/protocol-connect'

export type Failure = { status: number; text: string; headers: Record<string, string> }

/** Statuses of a route that differ from the usual ones of the codes. */
export type Statuses = Partial<Record<Code, number>>

/** A failure with an HTTP status instead of a Connect code. */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Record<string, string>

  constructor(status: number, text: string, headers: Record<string, string> = {}) {
    super(text)
    this.status = status
    this.headers = headers
  }
}

const outages = new Set([Code.Unavailable, Code.DeadlineExceeded])

/** `onUnexpected` gets internal errors, which are not shown to clients. */
export function failureOf(thrown: unknown, onUnexpected: (error: unknown) => void, statuses: Statuses = {}): Failure {
  if (thrown instanceof Refusal) return { status: thrown.status, text: thrown.message, headers: thrown.headers }
  if (!(thrown instanceof ConnectError) || thrown.code === Code.Internal || thrown.code === Code.Unknown) {
    onUnexpected(thrown)
    return { status: 500, text: 'internal server error', headers: {} }
  }
  const { code, metadata, rawMessage: text } = thrown
  const retryAfter = metadata.get('retry-after')
  // An error with a time to retry means too many requests, so the route's own status does not apply.
  if (retryAfter !== null) return { status: codeToHttpStatus(code), text, headers: { 'retry-after': retryAfter } }
  // The route's own status also does not apply if the call was not run or needs something else first.
  const needs = metadata.get('parley-needs')
  const status = metadata.has('parley-reason') || needs !== null ? undefined : statuses[code]
  const isOutage = outages.has(code) && !metadata.has('parley-failed')
  const headers = { ...(needs !== null && { 'parley-needs': needs }), ...(isOutage && { 'retry-after': '1' }) }
  return { status: status ?? codeToHttpStatus(code), text, headers }
}
