import type { RealtimeEventEnvelope } from '@parley/contracts/realtime'
import type { Backoff } from '../calls/backoff.ts'

type AnyEvent = Exclude<RealtimeEventEnvelope['event'], { case: undefined }>
type EventValues = { [Event in AnyEvent as Event['case']]: Event['value'] }

/** Name of an event, e.g. `messagePosted`. */
export type EventKind = AnyEvent['case']

/** Payload of an event kind. */
export type EventOf<Kind extends EventKind> = EventValues[Kind]

/** State of a stream. */
export type RealtimeState =
  /** A socket is being opened and subscribed; `failures` attempts have failed since the stream was last open. */
  | { status: 'connecting'; failures: number }
  /** Events arrive. `resumed`: since the last time it was open nothing was missed but hints (typing, presence). */
  | { status: 'open'; resumed: boolean }
  /** The connection is lost; the client reconnects after a pause. */
  | { status: 'waiting'; retryInMs: number; reason: string }
  /** It is over: it was closed here, the session ended, or the server will not have us. */
  | { status: 'closed'; reason: string }

/** Why events may have been missed. */
export type ResetReason =
  /** The server does not replay, or not from where we were. */
  | 'reconnected'
  /** An iterator of events was not read fast enough and dropped some. */
  | 'fell_behind'

/** Options of a stream. */
export type RealtimeOptions = {
  /** Address of the socket; default `/api/realtime` of the server. A function is asked before each attempt. */
  url?: string | (() => string)
  /**
   * `position` of an earlier stream; this one continues after it. Events at that position, and changes of people, the
   * sidebar, the server and roles from before it, may come again with the same id.
   */
  resumePosition?: string
  /** Events may have been missed: reload any data built from them. Not called for the first connection. */
  onReset?: (reason: ResetReason) => void
  /** Delays between failed attempts; default half a second, doubled up to 30 seconds. */
  backoff?: Partial<Backoff>
  /** Milliseconds from opening the socket to the first event that can come; default 10,000. */
  openTimeoutMs?: number
  /**
   * Milliseconds within which the server must answer a ping, sent after one and a half silent heartbeats; default
   * 5,000.
   */
  pingTimeoutMs?: number
}

/** The stream of events. Events are hints: they carry ids, and what is behind them is read through the services. */
export type Realtime = Disposable & {
  readonly state: RealtimeState
  /** The position received last, for `resumePosition` of a later stream; empty before the stream is open. */
  readonly position: string
  /** Resolves when events arrive for the first time; rejects with a ConnectError when the stream is over before. */
  readonly opened: Promise<void>
  /** Calls `listener` for every event of a kind; the answer stops that. */
  on<Kind extends EventKind>(
    kind: Kind,
    listener: (event: EventOf<Kind>, envelope: RealtimeEventEnvelope) => void,
  ): () => void
  /** Calls `listener` for every event; the answer stops that. */
  onEvent(listener: (envelope: RealtimeEventEnvelope) => void): () => void
  /** Calls `listener` for every change of state; the answer stops that. */
  onState(listener: (state: RealtimeState) => void): () => void
  /** Every event from now on, until the stream is over. */
  events(): AsyncGenerator<RealtimeEventEnvelope, void, undefined>
  /** Ends the stream permanently. Idempotent. */
  close(): void
}
