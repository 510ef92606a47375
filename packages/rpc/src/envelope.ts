/**
 * NATS headers of requests and replies. A request has one packed control header and the optional headers that are set;
 * an ordinary reply has no header at all, so that the common case is only a body.
 */

/** Packed control fields, in requests and replies. */
export const controlHeader = 'P'

export const keyHeader = 'idempotency-key'

/** Header with the id of bytes that the gateway moved from the request to uploads. */
export const blobHeader = 'parley-blob'

export const traceHeader = 'traceparent'

/** Prefix of trailers that a handler sets, as in the Connect protocol. */
export const trailerPrefix = 'trailer-'

/** Metadata that names the reason of an `unavailable` error. Set by the caller's transport; a server never sends it. */
export const reasonHeader = 'parley-reason'

export type RequestControl = {
  /** The client that sends the request. */
  readonly sender: string
  /** Milliseconds of the sender's own monotonic clock. */
  readonly sentAt: number
  /** Milliseconds from `sentAt` until the deadline. */
  readonly budgetMs: number
  /** Milliseconds from `sentAt` until the latest time at which a server may start the call. */
  readonly startByMs: number
  /** From 1. */
  readonly attempt: number
}

export type NotStartedReason = 'draining' | 'overloaded' | 'late'

export type ReplyControl =
  | { readonly kind: 'started' }
  | { readonly kind: 'not-started'; readonly reason: string }
  | { readonly kind: 'error' }
  | { readonly kind: 'part'; readonly index: number; readonly count: number; readonly error: boolean }

export function packRequest(control: RequestControl): string {
  const { sender, sentAt, budgetMs, startByMs, attempt } = control
  return `${sender} ${Math.round(sentAt)} ${Math.round(budgetMs)} ${Math.round(startByMs)} ${attempt}`
}

/** Undefined if the header is missing or malformed. */
export function unpackRequest(packed: string | undefined): RequestControl | undefined {
  if (!packed) return undefined
  const [sender, sentAt, budget, startBy, attempt] = packed.split(' ')
  const control = {
    sender: sender ?? '',
    sentAt: Number(sentAt),
    budgetMs: Number(budget),
    startByMs: Number(startBy),
    attempt: Number(attempt),
  }
  const sum = control.sentAt + control.budgetMs + control.startByMs + control.attempt
  return sender && Number.isFinite(sum) ? control : undefined
}

export const startedControl = 's'
export const errorControl = 'e'

export function packNotStarted(reason: NotStartedReason): string {
  return `n ${reason}`
}

export function packPart(index: number, count: number, error: boolean): string {
  return `p ${index} ${count} ${error ? 'e' : 'o'}`
}

/** Undefined if the header is malformed. */
export function unpackReply(packed: string): ReplyControl | undefined {
  const [kind, first = '', second, third] = packed.split(' ')
  switch (kind) {
    case 's':
      return { kind: 'started' }
    case 'n':
      return { kind: 'not-started', reason: first }
    case 'e':
      return { kind: 'error' }
    case 'p':
      return { kind: 'part', index: Number(first), count: Number(second), error: third === 'e' }
    default:
      return undefined
  }
}
