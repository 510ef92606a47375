import type { MemberClient, Realtime, RealtimeState } from '@parley/client'
import type { RealtimeEventEnvelope } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'

/** State of the event stream, for display. */
export type Connection = 'connecting' | 'open' | 'lost' | 'ended'

type Told =
  | { kind: 'event'; envelope: RealtimeEventEnvelope }
  | { kind: 'connection'; connection: Connection }
  | { kind: 'reset' }
  | { kind: 'hello' }
  | { kind: 'read'; roomId: string }

type Listeners = {
  onEvent: (envelope: RealtimeEventEnvelope) => void
  /** Events may have been missed. */
  onReset: () => void
  /** Another tab has marked a room as read. */
  onRead: (roomId: string) => void
}

/**
 * The event stream shared by all tabs of a user: the tab that holds a lock has the socket and forwards its events. When
 * it closes, the next tab gets the lock and continues after the last event it received.
 */
export class SharedEvents {
  readonly connection = new Cell<Connection>('connecting')
  readonly #channel: BroadcastChannel
  readonly #server: MemberClient
  #listeners: Listeners | undefined
  readonly #closed = new AbortController()
  #heardOf: Connection = 'connecting'
  #realtime: Realtime | undefined
  #position = ''
  #heard = false

  constructor(server: MemberClient, userId: string) {
    this.#server = server
    this.#channel = new BroadcastChannel(`parley.events.${userId}`)
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Told>) => this.#told(data))
    this.#channel.postMessage({ kind: 'hello' } satisfies Told)
    const { signal } = this.#closed
    const look = () => this.#enter(this.#heardOf)
    for (const change of ['online', 'offline']) addEventListener(change, look, { signal })
    void navigator.locks.request(`parley.socket.${userId}`, { signal }, () => this.#lead()).catch(() => undefined)
  }

  /** Registers listeners for later events. Reads started after this call miss nothing. */
  listen(listeners: Listeners): void {
    this.#listeners = listeners
  }

  /**
   * Resolves when events arrive, at the latest after `atMostMs`. Data read after a timeout may miss events from before
   * the first one; listeners are then notified with a reset.
   */
  async opened(atMostMs: number): Promise<void> {
    if (this.connection.value === 'open') return
    await new Promise<void>((resolve) => {
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        resolve()
      }, atMostMs)
      const stop = this.connection.subscribe(() => {
        if (this.connection.value !== 'open') return
        stop()
        clearTimeout(timer)
        if (isLate) this.#listeners?.onReset()
        resolve()
      })
    })
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
    if (tookOver && this.#position === '') this.#listeners?.onReset()
    const realtime = this.#server.realtime({
      resumePosition: this.#position,
      onReset: () => {
        this.#tell({ kind: 'reset' })
        this.#listeners?.onReset()
      },
    })
    this.#realtime = realtime
    realtime.onEvent((envelope) => {
      this.#tell({ kind: 'event', envelope })
      this.#take(envelope)
    })
    return new Promise((resolve) => {
      const follow = (state: RealtimeState) => {
        this.#enter(connectionOf(state))
        this.#tell({ kind: 'connection', connection: this.connection.value })
        if (state.status === 'closed') resolve()
      }
      realtime.onState(follow)
      follow(realtime.state)
    })
  }

  #told(told: Told): void {
    if (told.kind === 'hello') {
      if (this.#realtime) this.#tell({ kind: 'connection', connection: this.connection.value })
      return
    }
    if (told.kind === 'read') return this.#listeners?.onRead(told.roomId)
    this.#heard = true
    if (told.kind === 'event') this.#take(told.envelope)
    else if (told.kind === 'connection') this.#enter(told.connection)
    else this.#listeners?.onReset()
  }

  #take(envelope: RealtimeEventEnvelope): void {
    if (envelope.position !== '') this.#position = envelope.position
    this.#listeners?.onEvent(envelope)
  }

  /** A device without network counts as disconnected at once, before the socket notices. */
  #enter(connection: Connection): void {
    this.#heardOf = connection
    this.connection.set(!navigator.onLine && connection !== 'ended' ? 'lost' : connection)
  }

  #tell(told: Told): void {
    if (!this.#closed.signal.aborted) this.#channel.postMessage(told)
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
