import type { MemberClient, Realtime, RealtimeState } from '@parley/client'
import type { RealtimeEventEnvelope } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'

/** State of the event stream, for display. */
export type Connection = 'connecting' | 'open' | 'lost' | 'ended'

type TabMessage =
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

/** How long a read waits for the stream to open. */
const openTimeoutMs = 3_000
/** How often other tabs receive the position of the stream. */
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
  /** Calls made before listeners were registered. */
  #pending: ((listeners: Listeners) => void)[] = []
  #opened: Promise<void> | undefined
  readonly #closed = new AbortController()
  #reported: Connection = 'connecting'
  #realtime: Realtime | undefined
  /** Whether another tab ever sent a message. Without one, events are not copied to the channel. */
  #hasOthers = false
  #position = ''
  #hasReceived = false

  constructor(server: MemberClient, userId: string) {
    this.#server = server
    this.#channel = new BroadcastChannel(`parley.events.${userId}`)
    this.#channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => this.#receive(data))
    this.#channel.postMessage({ kind: 'hello' } satisfies TabMessage)
    const { signal } = this.#closed
    for (const change of ['online', 'offline']) addEventListener(change, () => this.#look(), { signal })
    // Others also see what the browser makes of it: a stream that outlives a lost network has no new state to tell.
    this.connection.subscribe(() => this.#realtime && this.#broadcastConnection())
    void navigator.locks.request(`parley.socket.${userId}`, { signal }, () => this.#lead()).catch(() => undefined)
  }

  /** Registers listeners. Events received earlier are passed to them at once. */
  listen(listeners: Listeners): void {
    this.#listeners = listeners
    for (const call of this.#pending.splice(0)) call(listeners)
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
      const timer = setTimeout(giveUp, openTimeoutMs)
      this.#closed.signal.addEventListener('abort', () => clearTimeout(timer))
      const stop = this.connection.subscribe(() => {
        if (this.connection.value === 'lost') giveUp()
        if (this.connection.value !== 'open') return
        stop()
        clearTimeout(timer)
        if (isLate) this.#notify(({ onReset }) => onReset())
        resolve()
      })
      if (this.connection.value === 'lost') giveUp()
    })
    return this.#opened
  }

  /** Notifies the other tabs that a room was marked as read in this one. */
  broadcastRead(roomId: string): void {
    this.#broadcast({ kind: 'read', roomId })
  }

  close(): void {
    this.#realtime?.close()
    this.#closed.abort()
    this.#channel.close()
  }

  /** Holds the lock for as long as the stream is open. */
  #lead(): Promise<void> {
    const tookOver = this.#hasReceived
    if (tookOver && this.#position === '') this.#notify(({ onReset }) => onReset())
    const realtime = this.#server.realtime({
      resumePosition: this.#position,
      onReset: () => {
        this.#broadcast({ kind: 'reset' })
        this.#notify(({ onReset: reset }) => reset())
      },
    })
    this.#realtime = realtime
    realtime.onEvent((envelope) => {
      this.#broadcast({ kind: 'event', envelope })
      this.#take(envelope)
    })
    // Heartbeats advance the position even without events, and the next tab continues from it.
    const reporting = setInterval(
      () => this.#broadcast({ kind: 'position', position: realtime.position }),
      positionEveryMs,
    )
    return new Promise((resolve) => {
      const follow = (state: RealtimeState) => {
        this.#enter(connectionOf(state))
        if (state.status !== 'closed') return
        clearInterval(reporting)
        resolve()
      }
      realtime.onState(follow)
      follow(realtime.state)
    })
  }

  #receive(message: TabMessage): void {
    this.#hasOthers = true
    if (message.kind === 'here') return
    if (message.kind === 'hello')
      return this.#realtime ? this.#broadcastConnection() : this.#broadcast({ kind: 'here' })
    if (message.kind === 'read') return this.#notify(({ onRead }) => onRead(message.roomId))
    this.#hasReceived = true
    if (message.kind === 'position') this.#position = message.position
    else if (message.kind === 'event') this.#take(message.envelope)
    else if (message.kind === 'connection') this.#enter(message.connection)
    else this.#notify(({ onReset }) => onReset())
  }

  #take(envelope: RealtimeEventEnvelope): void {
    if (envelope.position !== '') this.#position = envelope.position
    this.#notify(({ onEvent }) => onEvent(envelope))
  }

  /** An open stream proves that there is a network, even if the browser reports none. */
  #enter(connection: Connection): void {
    this.#reported = connection
    if (connection === 'open') this.connection.set(connection)
    else this.#look()
  }

  /** A device without network counts as disconnected at once, before the socket notices. */
  #look(): void {
    this.connection.set(navigator.onLine || this.#reported === 'ended' ? this.#reported : 'lost')
  }

  #notify(notify: (listeners: Listeners) => void): void {
    if (this.#listeners) notify(this.#listeners)
    else this.#pending.push(notify)
  }

  #broadcastConnection(): void {
    this.#broadcast({ kind: 'connection', connection: this.connection.value })
  }

  #broadcast(message: TabMessage): void {
    if (this.#hasOthers && !this.#closed.signal.aborted) this.#channel.postMessage(message)
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
