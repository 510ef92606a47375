import type { MemberClient, Realtime, RealtimeState } from '@parley/client'
import type { RealtimeEventEnvelope } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'

export type Connection = 'connecting' | 'open' | 'lost' | 'ended'

/**
 * A message to the other tabs. A new tab sends `hello`. The tab with the socket answers with its connection; every
 * other tab answers `here`.
 */
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

const openTimeoutMs = 3_000
const positionEveryMs = 10_000

/**
 * The events of a user, shared by all tabs: the tab that holds a lock has the socket and forwards its events. When that
 * tab closes, another tab acquires the lock, and continues after the last event that it received.
 */
export class SharedEvents {
  readonly connection = new Cell<Connection>('connecting')
  readonly #channel: BroadcastChannel
  readonly #server: MemberClient
  #listeners: Listeners | undefined
  /** Calls of the listeners, kept until the listeners are registered. */
  #pending: ((listeners: Listeners) => void)[] = []
  #opened: Promise<void> | undefined
  readonly #closed = new AbortController()
  #reported: Connection = 'connecting'
  #realtime: Realtime | undefined
  /** Whether another tab has ever sent a message. If none has, events are not sent to the channel. */
  #hasOthers = false
  #position = ''
  #hasReceived = false

  constructor(server: MemberClient, userId: string) {
    this.#server = server
    this.#channel = new BroadcastChannel(`parley.events.${userId}`)
    this.#channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => this.#receive(data))
    this.#channel.postMessage({ kind: 'hello' } satisfies TabMessage)
    const { signal } = this.#closed
    for (const change of ['online', 'offline']) addEventListener(change, () => this.#updateConnection(), { signal })
    // Also forward changes of the browser's network state: a socket that survives a lost network reports no change.
    this.connection.subscribe(() => this.#realtime && this.#broadcastConnection())
    void navigator.locks.request(`parley.socket.${userId}`, { signal }, () => this.#holdSocket()).catch(() => undefined)
  }

  /** Events received earlier are passed to the listeners at once. */
  listen(listeners: Listeners): void {
    this.#listeners = listeners
    for (const call of this.#pending.splice(0)) call(listeners)
  }

  /**
   * Resolves when the connection is open, is lost, or has not opened within three seconds. If it opens after that,
   * listeners receive a reset, because data was read before events were received. A promise that is pending at `close`
   * never resolves.
   */
  whenOpen(): Promise<void> {
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

  broadcastRead(roomId: string): void {
    this.#broadcast({ kind: 'read', roomId })
  }

  /** Ends the connection of this tab; another tab, if any, takes over. */
  close(): void {
    this.#closed.abort()
    this.#realtime?.close()
    this.#channel.close()
  }

  /** Resolves, which releases the lock, when the socket is closed. */
  #holdSocket(): Promise<void> {
    // Without a position, this socket misses the events between the last event of the previous tab and its own opening.
    let hasGap = this.#hasReceived && this.#position === ''
    const onReset = () => {
      this.#broadcast({ kind: 'reset' })
      this.#notify(({ onReset: reset }) => reset())
    }
    const realtime = this.#server.realtime({ resumePosition: this.#position, onReset })
    this.#realtime = realtime
    realtime.onEvent((envelope) => {
      this.#broadcast({ kind: 'event', envelope })
      this.#handleEvent(envelope)
    })
    // Heartbeats advance the position even without events, and the next tab continues from it.
    const reporting = setInterval(
      () => this.#broadcast({ kind: 'position', position: realtime.position }),
      positionEveryMs,
    )
    return new Promise((resolve) => {
      const follow = (state: RealtimeState) => {
        this.#onConnection(connectionOf(state))
        if (state.status === 'open' && hasGap) {
          hasGap = false
          onReset()
        }
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
    else if (message.kind === 'event') this.#handleEvent(message.envelope)
    else if (message.kind === 'connection') this.#onConnection(message.connection)
    else this.#notify(({ onReset }) => onReset())
  }

  #handleEvent(envelope: RealtimeEventEnvelope): void {
    if (envelope.position !== '') this.#position = envelope.position
    this.#notify(({ onEvent }) => onEvent(envelope))
  }

  /** An open socket proves that there is a network, even if the browser reports none. */
  #onConnection(connection: Connection): void {
    this.#reported = connection
    if (connection === 'open') this.connection.set(connection)
    else this.#updateConnection()
  }

  /** Without network the connection is lost immediately, before the socket notices. */
  #updateConnection(): void {
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
