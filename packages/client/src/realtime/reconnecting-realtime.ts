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

const standardBackoff: Backoff = { firstMs: 500, longestMs: 30_000 }
/** A connection that lived this long was a good one: the next failure is the first. */
const steadyMs = 10_000
const queuedEvents = 10_000
const sessionTerminated = 'session_terminated'
const refused = 'authentication_required'

/** A stream over as many connections as it takes. */
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
  /** The server requested a delay before the reconnect. */
  #delayRequested = false
  #openSince: number | undefined
  #wasOpen = false
  /**
   * A sign-out ends the streams of all sessions of a person; only the next connection shows whether it was this
   * session.
   */
  #sessionEnded = false

  constructor(options: Options) {
    this.#options = options
    this.#backoff = { ...standardBackoff, ...options.backoff }
    this.#position = options.resumePosition ?? ''
    // A caller that resumes is notified when that is not possible.
    this.#wasOpen = this.#position !== ''
    this.opened = new Promise((resolve, reject) => (this.#settleOpened = { resolve, reject }))
    browserWindow()?.addEventListener('online', this.#tryNow)
    this.opened.catch(() => undefined) // callers that do not await it see the end in the state
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
      capacity: queuedEvents,
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
    this.#enter({ status: 'connecting', failures: this.#failures })
    if (this.#isOver()) return
    this.#connection = new Connection({
      ...{ webSocket, openTimeoutMs, pingTimeoutMs },
      url: typeof url === 'string' ? url : url(),
      token: token(),
      resumePosition: this.#position,
      onOpen: ({ resumed, position }) => this.#opened(resumed, position),
      onEvent: (envelope) => this.#deliver(envelope),
      onPosition: (position) => this.#passed(position),
      onEnd: (ending) => this.#lost(ending),
    })
  }

  #opened(resumed: boolean, position: string): void {
    const missed = this.#wasOpen && !resumed
    if (!resumed) this.#position = position
    this.#wasOpen = true
    this.#sessionEnded = false
    this.#openSince = performance.now()
    this.#enter({ status: 'open', resumed })
    this.#settleOpened.resolve()
    if (missed) this.#options.onReset?.('reconnected')
  }

  #deliver(envelope: RealtimeEventEnvelope): void {
    this.#passed(envelope.position)
    if (!this.#recent.add(envelope)) return
    this.#envelopes.tell(envelope)
    for (const queue of this.#queues) queue.push(envelope)
  }

  /** Everything up to this position was received; hints have none. */
  #passed(position: string): void {
    if (position !== '') this.#position = position
  }

  #lost({ final, reason, retryAfterMs }: Ending): void {
    if (reason === sessionTerminated) this.#sessionEnded = true
    else if (final) return this.#finish(reason === refused && this.#sessionEnded ? sessionTerminated : reason)
    const steady = this.#openSince !== undefined && performance.now() - this.#openSince >= steadyMs
    this.#failures = steady ? 1 : this.#failures + 1
    this.#openSince = undefined
    this.#delayRequested = retryAfterMs !== undefined
    const retryInMs = Math.max(retryAfterMs ?? 0, backoffMs(this.#backoff, this.#failures))
    this.#enter({ status: 'waiting', retryInMs, reason })
    if (this.#isOver()) return
    this.#retry = setTimeout(() => this.#connect(), retryInMs)
  }

  /** Ends the pause when the browser reports that the device is online again, unless the server asked for the pause. */
  readonly #tryNow = (): void => {
    if (this.#state.status !== 'waiting' || this.#delayRequested) return
    clearTimeout(this.#retry)
    this.#connect()
  }

  #finish(reason: string): void {
    if (this.#isOver()) return
    clearTimeout(this.#retry)
    browserWindow()?.removeEventListener('online', this.#tryNow)
    this.#enter({ status: 'closed', reason })
    this.#settleOpened.reject(new ConnectError(`the event stream ended: ${reason}`, codeOf(reason)))
    for (const queue of this.#queues) queue.end()
  }

  /** Asked again after every call of a listener: it may have closed the stream. */
  #isOver(): boolean {
    return this.#state.status === 'closed'
  }

  #enter(state: RealtimeState): void {
    this.#state = state
    this.#states.tell(state)
  }
}

/** Reports network changes in a browser; undefined elsewhere. */
const browserWindow = (): EventTarget | undefined => (globalThis as { window?: EventTarget }).window

const codeOf = (reason: string): Code =>
  reason === refused || reason === sessionTerminated ? Code.Unauthenticated : Code.Canceled

/** The compiler does not infer that the value belongs to the compared kind. */
function valueOf<Kind extends EventKind>(event: RealtimeEventEnvelope['event'], kind: Kind): EventOf<Kind> | undefined {
  return event.case === kind ? (event.value as EventOf<Kind>) : undefined
}
