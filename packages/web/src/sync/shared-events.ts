import type { MemberClient, Realtime, RealtimeState } from '@parley/client'
import type { RealtimeEventEnvelope } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'

/** State of the event stream, for display. */
export type Connection = 'connecting' | 'open' | 'lost' | 'ended'

type Told =
  | { kind: 'event'; envelope: RealtimeEventEnvelope }
  | { kind: 'connection'; connection: Connection }
  | { kind: 'position'; position: string }
  | { kind: 'reset' }
  | { kind: 'hello' }
  | { kind: 'here' }
  | { kind: 'read'; roomId: string }

type Listeners = {
  onEvent: (envelope: RealtimeEventEnvelope) => void
  /** Events may have been missed. */
  onReset: () => void
  /** Another tab has marked a room as read. */
  onRead: (roomId: string) => void
}

/** Whoever wants to read without missing events waits for a silent server no longer than this. */
const patienceMs = 3_000
/** How often other tabs learn how far the stream has come. */
const positionEveryMs = 10_000

/**
 * The event stream shared by all tabs of a user: the tab that holds a lock has the socket and forwards its events. When
 * it closes, the next tab gets the lock and continues after the last event it received.
 */
export class SharedEvents {
  readonly connection = new Cell<Connection>('connecting')
  readonly #channel: BroadcastChannel
  readonly #server: MemberClient
  #listeners: Listeners | undefined
  /** What happened before anybody listened. */
  #unheard: ((listeners: Listeners) => void)[] = []
  #opened: Promise<void> | undefined
  readonly #closed = new AbortController()
  #heardOf: Connection = 'connecting'
  #realtime: Realtime | undefined
  /** Whether another tab was ever heard of: copies of events for nobody would cost as much as the events. */
  #hasOthers = false
  #position = ''
  #heard = false

  constructor(server: MemberClient, userId: string) {
    this.#server = server
    this.#channel = new BroadcastChannel(`parley.events.${userId}`)
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Told>) => this.#told(data))
    this.#channel.postMessage({ kind: 'hello' } satisfies Told)
    const { signal } = this.#closed
    for (const change of ['online', 'offline']) addEventListener(change, () => this.#look(), { signal })
    // Others also see what the browser makes of it: a stream that outlives a lost network has no new state to tell.
    this.connection.subscribe(() => this.#realtime && this.#tellConnection())
    void navigator.locks.request(`parley.socket.${userId}`, { signal }, () => this.#lead()).catch(() => undefined)
  }

  /** Registers listeners for all events, those that came before included. */
  listen(listeners: Listeners): void {
    this.#listeners = listeners
    for (const hear of this.#unheard.splice(0)) hear(listeners)
  }

  /**
   * Resolves when events arrive, or as soon as the stream cannot be opened, or after three seconds; never once closed.
   * Data read without a stream may miss events from before the first one; listeners are then notified with a reset.
   */
  opened(): Promise<void> {
    this.#opened ??= new Promise((resolve) => {
      if (this.connection.value === 'open') return resolve()
      let isLate = false
      const giveUp = () => {
        isLate = true
        resolve()
      }
      const timer = setTimeout(giveUp, patienceMs)
      this.#closed.signal.addEventListener('abort', () => clearTimeout(timer))
      const stop = this.connection.subscribe(() => {
        if (this.connection.value === 'lost') giveUp()
        if (this.connection.value !== 'open') return
        stop()
        clearTimeout(timer)
        if (isLate) this.#call(({ onReset }) => onReset())
        resolve()
      })
      if (this.connection.value === 'lost') giveUp()
    })
    return this.#opened
  }

  /** Tells the other tabs that a room was marked as read here. */
  tellRead(roomId: string): void {
    this.#tell({ kind: 'read', roomId })
  }

  close(): void {
    this.#realtime?.close()
    this.#closed.abort()
    this.#channel.close()
  }

  /** Holds the lock for as long as the stream is open. */
  #lead(): Promise<void> {
    const tookOver = this.#heard
    if (tookOver && this.#position === '') this.#call(({ onReset }) => onReset())
    const realtime = this.#server.realtime({
      resumePosition: this.#position,
      onReset: () => {
        this.#tell({ kind: 'reset' })
        this.#call(({ onReset: reset }) => reset())
      },
    })
    this.#realtime = realtime
    realtime.onEvent((envelope) => {
      this.#tell({ kind: 'event', envelope })
      this.#take(envelope)
    })
    // Heartbeats move the position of a quiet stream, too: the next tab goes on from there.
    const told = setInterval(() => this.#tell({ kind: 'position', position: realtime.position }), positionEveryMs)
    return new Promise((resolve) => {
      const follow = (state: RealtimeState) => {
        this.#enter(connectionOf(state))
        if (state.status !== 'closed') return
        clearInterval(told)
        resolve()
      }
      realtime.onState(follow)
      follow(realtime.state)
    })
  }

  #told(told: Told): void {
    this.#hasOthers = true
    if (told.kind === 'here') return
    if (told.kind === 'hello') return this.#realtime ? this.#tellConnection() : this.#tell({ kind: 'here' })
    if (told.kind === 'read') return this.#call(({ onRead }) => onRead(told.roomId))
    this.#heard = true
    if (told.kind === 'position') this.#position = told.position
    else if (told.kind === 'event') this.#take(told.envelope)
    else if (told.kind === 'connection') this.#enter(told.connection)
    else this.#call(({ onReset }) => onReset())
  }

  #take(envelope: RealtimeEventEnvelope): void {
    if (envelope.position !== '') this.#position = envelope.position
    this.#call(({ onEvent }) => onEvent(envelope))
  }

  /** A stream that opens does so over a network, whatever the browser says. */
  #enter(connection: Connection): void {
    this.#heardOf = connection
    if (connection === 'open') this.connection.set(connection)
    else this.#look()
  }

  /** A device without network counts as disconnected at once, before the socket notices. */
  #look(): void {
    this.connection.set(navigator.onLine || this.#heardOf === 'ended' ? this.#heardOf : 'lost')
  }

  #call(hear: (listeners: Listeners) => void): void {
    if (this.#listeners) hear(this.#listeners)
    else this.#unheard.push(hear)
  }

  #tellConnection(): void {
    this.#tell({ kind: 'connection', connection: this.connection.value })
  }

  #tell(told: Told): void {
    if (this.#hasOthers && !this.#closed.signal.aborted) this.#channel.postMessage(told)
  }
}

function connectionOf(state: RealtimeState): Connection {
  switch (state.status) {
    case 'open':
      return 'open'
    case 'waiting':
      return 'lost'
    case 'connecting':
      return state.failures > 0 ? 'lost' : 'connecting'
    case 'closed':
      return 'ended'
  }
}
