import type { Msg } from 'nats'
import type { Event } from '@parley/contracts/internal'
import type { Bus } from '@parley/rpc'
import { periodically } from '@parley/runtime'
import { logger } from '@parley/telemetry'
import { countUndecodable, countStreamLoss } from '../metrics.ts'
import { keeperStartupMs } from '../keep/requests.ts'
import { isUnavailable } from '../stream/api.ts'
import { decodeBatch } from '../stream/decode.ts'
import type { Delivery } from '../stream/delivery.ts'
import { positionCheckMs, positionCheckTimeoutMs, verifyPositions, type Positions } from '../stream/position.ts'
import { readLastSeq, readPosition } from './read-position.ts'
import { OrderedReader } from './ordered-reader.ts'
import { SilenceWatch } from './silence-watch.ts'

const log = logger('follower')
/** Milliseconds without a message or heartbeat after which a follower opens a new reader. */
export const silentMs = 2900
const againMs = 500
const firstPauseMs = 50
const maxPauseMs = 1000

export type FollowOptions = {
  bus: Bus
  /** Subject filter; see `eventSubject`. */
  subject: string
  /**
   * Starts with events stored at most this many milliseconds before the newest one. `followEvents` resolves when they
   * have been delivered.
   */
  historyMs?: number
  /**
   * Receives the events of one bus message, in stream order, synchronously. An event that a relay stored twice after a
   * failure is delivered twice. If the callback throws, `onReset` is called.
   */
  onEvents: (events: Event[], info: { seq: number; storedAtMs: number }) => void
  /** Events may have been missed: any state built from them is stale. */
  onReset: () => void
  onSilence?: () => void
}

export type EventFollower = AsyncDisposable & {
  /** Milliseconds since the server last sent something: normally at most about 1,450. */
  healthyAgoMs(): number
  /**
   * Sequence of the last delivered message. If none was delivered since the start or reset: the sequence that the
   * stream had reached then.
   */
  lastSeq(): number
  /**
   * With `historyMs`: the time, in milliseconds since 1970, from which all stored events are delivered. Undefined if
   * the history could not be read, and after a reset.
   */
  readonly completeSinceMs: number | undefined
}

export class Follower implements EventFollower {
  readonly #options: FollowOptions
  readonly #positions: Positions = { newest: undefined, anchor: undefined }
  readonly #stop = new AbortController()
  readonly #jobs: AsyncDisposable[] = []
  readonly #silence: SilenceWatch
  readonly #subscriptions: Disposable[] = []
  #reader: OrderedReader | undefined
  #opening: Promise<void> | undefined
  #lastSeq = 0
  #hasBegun = false
  #completeSinceMs: number | undefined
  #isHistoryPending: boolean
  #setCaughtUp: () => void = () => undefined
  readonly #caughtUp = new Promise<void>((resolve) => (this.#setCaughtUp = resolve))

  constructor(options: FollowOptions) {
    this.#options = options
    this.#isHistoryPending = options.historyMs !== undefined
    this.#silence = new SilenceWatch({ afterMs: silentMs, againMs, onSilence: () => this.#onSilence() })
  }

  /**
   * Resolves when the first reader is open and has delivered the history, if any. Rejects if `giveUp` is aborted first.
   */
  async begin(giveUp?: AbortSignal): Promise<void> {
    const { bus, subject } = this.#options
    const { signal } = this.#stop
    this.#subscriptions.push(bus.onReconnect(() => this.#reopen()))
    await this.#openUnless(giveUp)
    const name = `position of ${subject}`
    this.#jobs.push(periodically({ name, everyMs: positionCheckMs, signal, run: () => this.#reopenIfLost() }))
  }

  healthyAgoMs(): number {
    return this.#silence.silentForMs()
  }

  lastSeq(): number {
    return this.#lastSeq
  }

  get completeSinceMs(): number | undefined {
    return this.#completeSinceMs
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#setCaughtUp()
    this.#silence[Symbol.dispose]()
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
    this.#reader?.[Symbol.dispose]()
    await Promise.all(this.#jobs.map((job) => job[Symbol.asyncDispose]()))
    await this.#opening
  }

  async #openUnless(giveUp: AbortSignal | undefined): Promise<void> {
    const stop = () => {
      this.#stop.abort()
      this.#setCaughtUp()
    }
    giveUp?.addEventListener('abort', stop)
    if (giveUp?.aborted) stop()
    await this.#open()
    this.#silence.start()
    if (this.#options.historyMs !== undefined) await this.#caughtUp
    giveUp?.removeEventListener('abort', stop)
    if (!giveUp?.aborted) return
    await this[Symbol.asyncDispose]()
    giveUp.throwIfAborted()
  }

  #onSilence(): void {
    const { bus, onSilence } = this.#options
    bus.verify()
    if (bus.connected()) this.#reopen()
    onSilence?.()
  }

  #reopen(): void {
    if (this.#opening === undefined) void this.#open()
  }

  #open(): Promise<void> {
    this.#reader?.[Symbol.dispose]()
    this.#reader = undefined
    this.#opening = this.#tryToOpen().finally(() => (this.#opening = undefined))
    return this.#opening
  }

  async #tryToOpen(): Promise<void> {
    const startedAt = performance.now()
    let pauseMs = firstPauseMs
    while (!this.#stop.signal.aborted) {
      try {
        if (this.#options.bus.connected()) return await this.#openReader()
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (!isUnavailable(error) || performance.now() - startedAt > keeperStartupMs)
          log.warn({ subject: this.#options.subject, reason }, 'the stream cannot be followed; retrying')
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      pauseMs = Math.min(pauseMs * 2, maxPauseMs)
    }
  }

  async #openReader(): Promise<void> {
    const { bus, subject } = this.#options
    const state = await this.#checkPosition()
    if (state === 'unknown') throw new Error('the stream did not answer')
    if (state !== 'present') await this.#goToEnd()
    if (state === 'missing') this.#reset()
    const startMs = this.#isHistoryPending ? this.#completeSinceMs : undefined
    const reader = await OrderedReader.open(bus, {
      ...{ subject, startSeq: this.#lastSeq + 1 },
      ...(startMs !== undefined && { startMs }),
      callbacks: {
        onCaughtUp: () => this.#setCaughtUp(),
        onActivity: () => this.#silence.noteActivity(),
        onMessage: (message, delivery) => this.#receive(message, delivery),
        onBroken: () => this.#reopen(),
      },
    })
    if (startMs !== undefined && !reader.startedAsRequested) this.#completeSinceMs = undefined
    this.#silence.noteActivity()
    this.#hasBegun = true
    if (this.#stop.signal.aborted) reader[Symbol.dispose]()
    else this.#reader = reader
  }

  async #checkPosition(): Promise<'new' | 'present' | 'missing' | 'unknown'> {
    if (!this.#hasBegun) return 'new'
    const { bus } = this.#options
    if (this.#positions.newest !== undefined) return await verifyPositions(bus, this.#positions)
    // No event is known that could be looked up. A lost stream shows by its lower last sequence.
    return (await readLastSeq(bus)) < this.#lastSeq ? 'missing' : 'present'
  }

  async #goToEnd(): Promise<void> {
    const { bus } = this.#options
    const seq = await readLastSeq(bus)
    this.#lastSeq = seq
    const newest = (this.#positions.newest = this.#positions.anchor = await readPosition(bus, seq))
    const newestMs = newest?.storedAt ?? (seq === 0 ? 0 : Date.now())
    this.#completeSinceMs = Math.max(0, newestMs - (this.#options.historyMs ?? 0))
  }

  #reset(): void {
    this.#isHistoryPending = false
    this.#completeSinceMs = undefined
    countStreamLoss()
    log.error({ subject: this.#options.subject }, 'the stream lost events; a follower is reset')
    this.#options.onReset()
  }

  async #reopenIfLost(): Promise<void> {
    if (this.#opening !== undefined || this.#positions.newest === undefined) return
    const state = await verifyPositions(this.#options.bus, this.#positions, positionCheckTimeoutMs)
    if (state === 'missing') this.#reopen()
  }

  #receive(message: Msg, { seq, storedAtMs }: Delivery): void {
    this.#lastSeq = seq
    this.#hasBegun = true
    this.#isHistoryPending = false
    let events
    try {
      events = decodeBatch(message.data)
    } catch {
      countUndecodable()
      log.error({ subject: message.subject, seq }, 'a message is not an event batch')
      return
    }
    const last = events.at(-1)
    if (last === undefined) return
    this.#positions.newest = { seq, eventId: last.id, storedAt: storedAtMs }
    try {
      this.#options.onEvents(events, { seq, storedAtMs })
    } catch (error) {
      log.error({ err: error, subject: message.subject, seq }, 'a follower failed on an event and is reset')
      this.#options.onReset()
    }
  }
}
