import { Code, ConnectError } from '@connectrpc/connect'
import type { RealtimeEventEnvelope } from '@parley/contracts/realtime'
import { type Backoff, backoffMs } from '../calls/backoff.ts'
import { Connection, type Ending } from './connection.ts'
import { EventQueue } from './event-queue.ts'
import { Listeners } from './listeners.ts'
import { RecentEvents } from './recent-events.ts'
import type { EventKind, EventOf, Realtime, RealtimeOptions, RealtimeState } from './realtime-types.ts'
import type { WebSocketConstructor } from './web-socket.ts'

type Options = RealtimeOptions & {
  url: string | (() => string)
  webSocket: WebSocketConstructor
  token: () => string | undefined
}

const standardBackoff: Backoff = { initialMs: 500, maxMs: 30_000 }
/** After a connection that lasted this long, the next failure counts as the first. */
const stableMs = 10_000
const maxQueuedEvents = 10_000
const sessionTerminated = 'session_terminated'
const authenticationRequired = 'authentication_required'

/** A stream of events that opens a new connection whenever one is lost. */
export class ReconnectingRealtime implements Realtime {
  readonly #options: Options
  readonly #backoff: Backoff
  readonly #envelopes = new Listeners<RealtimeEventEnvelope>()
  readonly #states = new Listeners<RealtimeState>()
  readonly #queues = new Set<EventQueue<RealtimeEventEnvelope>>()
  readonly opened: Promise<void>
  #settleOpened: { resolve: () => void; reject: (error: Error) => void } = { resolve() {}, reject() {} }
  #state: RealtimeState = { status: 'connecting', failures: 0 }
  #connection: Connection | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #position = ''
  readonly #recent = new RecentEvents()
  #failures = 0
  #delayRequested = false
  #openSince: number | undefined
  #wasOpen = false
  /**
   * The server ended the last connection because a session has ended. A sign-out ends the streams of all sessions of a
   * person; only the next connection shows whether this session is still valid.
   */
  #sessionEnded = false

  constructor(options: Options) {
    this.#options = options
    this.#backoff = { ...standardBackoff, ...options.backoff }
    this.#position = options.resumePosition ?? ''
    // If the first connection cannot resume, that is reported like any other reset.
    this.#wasOpen = this.#position !== ''
    this.opened = new Promise((resolve, reject) => (this.#settleOpened = { resolve, reject }))
    browserWindow()?.addEventListener('online', this.#reconnectNow)
    this.opened.catch(() => undefined) // a caller that does not await it sees the end in the state
    this.#connect()
  }

  get state(): RealtimeState {
    return this.#state
  }

  get position(): string {
    return this.#position
  }

  on<Kind extends EventKind>(
    kind: Kind,
    listener: (event: EventOf<Kind>, envelope: RealtimeEventEnvelope) => void,
  ): () => void {
    return this.#envelopes.add((envelope) => {
      const event = valueOf(envelope.event, kind)
      if (event !== undefined) listener(event, envelope)
    })
  }

  onEvent(listener: (envelope: RealtimeEventEnvelope) => void): () => void {
    return this.#envelopes.add(listener)
  }

  onState(listener: (state: RealtimeState) => void): () => void {
    return this.#states.add(listener)
  }

  events(): AsyncGenerator<RealtimeEventEnvelope, void, undefined> {
    const queue: EventQueue<RealtimeEventEnvelope> = new EventQueue({
      capacity: maxQueuedEvents,
      onDrop: () => this.#options.onReset?.('fell_behind'),
      onClose: () => void this.#queues.delete(queue),
    })
    if (this.#state.status === 'closed') queue.end()
    else this.#queues.add(queue)
    return queue
  }

  close(): void {
    this.#connection?.close()
    this.#finish('closed')
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #connect(): void {
    const { url, webSocket, token, openTimeoutMs = 10_000, pingTimeoutMs = 5_000 } = this.#options
    this.#setState({ status: 'connecting', failures: this.#failures })
    if (this.#isOver()) return
    this.#connection = new Connection({
      ...{ webSocket, openTimeoutMs, pingTimeoutMs },
      url: typeof url === 'string' ? url : url(),
      token: token(),
      resumePosition: this.#position,
      onOpen: ({ resumed, position }) => this.#handleOpen(resumed, position),
      onEvent: (envelope) => this.#deliver(envelope),
      onPosition: (position) => this.#setPosition(position),
      onEnd: (ending) => this.#handleEnd(ending),
    })
  }

  #handleOpen(resumed: boolean, position: string): void {
    const mayHaveMissed = this.#wasOpen && !resumed
    if (!resumed) this.#position = position
    this.#wasOpen = true
    this.#sessionEnded = false
    this.#openSince = performance.now()
    this.#setState({ status: 'open', resumed })
    this.#settleOpened.resolve()
    if (mayHaveMissed) this.#options.onReset?.('reconnected')
  }

  #deliver(envelope: RealtimeEventEnvelope): void {
    this.#setPosition(envelope.position)
    if (!this.#recent.add(envelope)) return
    this.#envelopes.notify(envelope)
    for (const queue of this.#queues) queue.push(envelope)
  }

  /** Events up to this position were received. Hints (typing, presence) have no position. */
  #setPosition(position: string): void {
    if (position !== '') this.#position = position
  }

  #handleEnd({ final, reason, retryAfterMs }: Ending): void {
    if (reason === sessionTerminated) this.#sessionEnded = true
    else if (final)
      return this.#finish(reason === authenticationRequired && this.#sessionEnded ? sessionTerminated : reason)
    const wasStable = this.#openSince !== undefined && performance.now() - this.#openSince >= stableMs
    this.#failures = wasStable ? 1 : this.#failures + 1
    this.#openSince = undefined
    this.#delayRequested = retryAfterMs !== undefined
    const retryInMs = Math.max(retryAfterMs ?? 0, backoffMs(this.#backoff, this.#failures))
    this.#setState({ status: 'waiting', retryInMs, reason })
    if (this.#isOver()) return
    this.#retry = setTimeout(() => this.#connect(), retryInMs)
  }

  /** Ends the pause when the browser reports that the device is online again, unless the server asked for the pause. */
  readonly #reconnectNow = (): void => {
    if (this.#state.status !== 'waiting' || this.#delayRequested) return
    clearTimeout(this.#retry)
    this.#connect()
  }

  #finish(reason: string): void {
    if (this.#isOver()) return
    clearTimeout(this.#retry)
    browserWindow()?.removeEventListener('online', this.#reconnectNow)
    this.#setState({ status: 'closed', reason })
    this.#settleOpened.reject(new ConnectError(`the event stream ended: ${reason}`, codeOf(reason)))
    for (const queue of this.#queues) queue.end()
  }

  /** Check this again after every call of a listener, because the listener may have closed the stream. */
  #isOver(): boolean {
    return this.#state.status === 'closed'
  }

  #setState(state: RealtimeState): void {
    this.#state = state
    this.#states.notify(state)
  }
}

const browserWindow = (): EventTarget | undefined => (globalThis as { window?: EventTarget }).window

const codeOf = (reason: string): Code =>
  reason === authenticationRequired || reason === sessionTerminated ? Code.Unauthenticated : Code.Canceled

/** Needs a cast: the compiler does not infer that the value belongs to the compared kind. */
function valueOf<Kind extends EventKind>(event: RealtimeEventEnvelope['event'], kind: Kind): EventOf<Kind> | undefined {
  return event.case === kind ? (event.value as EventOf<Kind>) : undefined
}
