import { createInbox, nanos, nuid, type Msg, type Subscription } from 'nats'
import type { Bus } from '@parley/rpc'
import { eventStream } from '../subjects.ts'

const expiresMs = 60_000
const heartbeatMs = 20_000
const silentMs = 41_000
const encoder = new TextEncoder()

/** How a round of pulling ended. `missing`: the consumer does not exist or nobody answers for it. */
export type RoundEnd = 'over' | 'missing' | 'silent'

/**
 * Pulls messages of one durable consumer, one round at a time. Messages are delivered in the order in which they
 * arrive, even when they belong to an abandoned round.
 */
export class Puller implements Disposable {
  readonly #bus: Bus
  readonly #durable: string
  readonly #inbox: string
  readonly #onMessage: (message: Msg) => void
  readonly #subscription: Subscription
  #left = 0
  #round = ''
  #seenAt = 0
  #watch: NodeJS.Timeout | undefined
  #end: ((how: RoundEnd) => void) | undefined

  constructor(bus: Bus, durable: string, onMessage: (message: Msg) => void) {
    this.#bus = bus
    this.#durable = durable
    this.#onMessage = onMessage
    this.#inbox = createInbox(bus.inboxPrefix)
    this.#subscription = bus.nc.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#receive(message)
      },
    })
  }

  /**
   * Requests up to `batchSize` messages and resolves when they have arrived, when none has arrived for a while, or when
   * something fails.
   */
  async round(batchSize: number): Promise<RoundEnd> {
    this.#left = batchSize
    this.#round = `${this.#inbox}.${nuid.next()}`
    this.#seenAt = performance.now()
    const ended = new Promise<RoundEnd>((resolve) => (this.#end = resolve))
    const request = { batch: batchSize, expires: nanos(expiresMs), idle_heartbeat: nanos(heartbeatMs) }
    const subject = `$JS.API.CONSUMER.MSG.NEXT.${eventStream}.${this.#durable}`
    this.#bus.nc.publish(subject, encoder.encode(JSON.stringify(request)), { reply: this.#round })
    this.#watch ??= setTimeout(() => this.#look(), silentMs)
    return await ended
  }

  /** Ends the running round; the connection that would bring its messages is gone. */
  interrupt(): void {
    this.#finish('silent')
  }

  [Symbol.dispose](): void {
    this.#finish('over')
    clearTimeout(this.#watch)
    this.#subscription.unsubscribe()
  }

  /** Fires when the server has been silent for too long, unless something has arrived in the meantime. */
  #look(): void {
    this.#watch = undefined
    if (this.#end === undefined) return
    const leftMs = this.#seenAt + silentMs - performance.now()
    if (leftMs <= 0) this.#finish('silent')
    else this.#watch = setTimeout(() => this.#look(), leftMs)
  }

  #receive(message: Msg): void {
    this.#seenAt = performance.now()
    if (!message.subject.startsWith(this.#inbox)) {
      this.#onMessage(message)
      if (--this.#left <= 0) this.#finish('over')
      return
    }
    const status = message.headers
    if (status === undefined || status.code === 100 || message.subject !== this.#round) return
    const missing = status.code === 503 || /consumer deleted|no responders/i.test(status.description)
    this.#finish(missing ? 'missing' : 'over')
  }

  #finish(how: RoundEnd): void {
    this.#end?.(how)
    this.#end = undefined
  }
}
