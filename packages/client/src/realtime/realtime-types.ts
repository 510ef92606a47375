import type { RealtimeEventEnvelope } from '@parley/contracts/realtime'
import type { Backoff } from '../calls/backoff.ts'

type AnyEvent = Exclude<RealtimeEventEnvelope['event'], { case: undefined }>
type EventValues = { [Event in AnyEvent as Event['case']]: Event['value'] }

/** E.g. `messagePosted`. */
export type EventKind = AnyEvent['case']

export type EventOf<Kind extends EventKind> = EventValues[Kind]

export type RealtimeState =
  /** A socket is being opened. `failures`: lost connections and failed attempts since a connection lasted 10 s. */
  | { status: 'connecting'; failures: number }
  /** Events arrive. `resumed`: since the last received position, only hints (typing, presence) were missed. */
  | { status: 'open'; resumed: boolean }
  /** There is no connection; the client reconnects after a pause. */
  | { status: 'waiting'; retryInMs: number; reason: string }
  /** The stream has ended: this client closed it, its session ended, or the server refused it. */
  | { status: 'closed'; reason: string }

/** Why events may have been missed. */
export type ResetReason =
  /** The server cannot replay the events after the last received position. */
  | 'reconnected'
  /** An iterator was not read fast enough and has dropped its unread events. */
  | 'fell_behind'

export type RealtimeOptions = {
  /** URL of the socket; default `/api/realtime` of the server. A function is called before each attempt. */
  url?: string | (() => string)
  /**
   * `position` of an earlier stream; this one continues after it. Events at that position, and changes to people, the
   * sidebar, the server and roles from before it, may be sent again with the same id.
   */
  resumePosition?: string
  /**
   * Events may have been missed: reload any data built from them. The first connection calls it only if it
   * cannot continue at `resumePosition`.
   */
  onReset?: (reason: ResetReason) => void
  /** Delays between failed attempts; default half a second, doubled up to 30 seconds. */
  backoff?: Partial<Backoff>
  /** Maximum number of milliseconds from opening the socket until events can arrive; default 10,000. */
  openTimeoutMs?: number
  /**
   * Milliseconds within which the server must answer a ping, which is sent if nothing has arrived for one and a half
   * heartbeat intervals; default 5,000.
   */
  pingTimeoutMs?: number
}

/** The stream of events. Events carry ids; read the data to which they refer through the services. */
export type Realtime = Disposable & {
  readonly state: RealtimeState
  /**
   * The position received last, for `resumePosition` of a later stream. Before the stream is open, it is the given
   * `resumePosition`, or empty.
   */
  readonly position: string
  /** Resolves when the stream is open for the first time; rejects with a ConnectError if it ends before that. */
  readonly opened: Promise<void>
  /** Returns a function that removes the listener. */
  on<Kind extends EventKind>(
    kind: Kind,
    listener: (event: EventOf<Kind>, envelope: RealtimeEventEnvelope) => void,
  ): () => void
  /** Returns a function that removes the listener. */
  onEvent(listener: (envelope: RealtimeEventEnvelope) => void): () => void
  /** Returns a function that removes the listener. */
  onState(listener: (state: RealtimeState) => void): () => void
  /** Iterates over the events from now on, until the stream ends. A slow reader loses events: see `fell_behind`. */
  events(): AsyncGenerator<RealtimeEventEnvelope, void, undefined>
  /** Ends the stream permanently. Idempotent. */
  close(): void
}
