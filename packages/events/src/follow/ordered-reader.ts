import { nuid, type Msg, type Subscription } from 'nats'
import type { Bus } from '@parley/rpc'
import { requestKeeper, type ReaderRequest } from '../keep/requests.ts'
import { deliveryOf, type Delivery } from '../stream/delivery.ts'
import { readerSubject } from '../subjects.ts'

/** Callbacks of an ordered reader. None is called after `broken`. */
export type ReaderEvents = {
  /** Called synchronously with the next message in order. */
  message(message: Msg, delivery: Delivery): void
  /** Everything that was stored before the reader was opened has been delivered. Called once. */
  caughtUp(): void
  /** Called when a message or a heartbeat has arrived. */
  alive(): void
  /** Messages are missing before the next one, or the consumer no longer exists. */
  broken(): void
}

/**
 * An ephemeral push consumer with flow control and heartbeats, created by the keeper of the stream. Its own sequence
 * reveals missing messages. Unlike an ordered consumer of the client library it does not recreate itself; its user
 * opens a new one when it breaks.
 */
export class OrderedReader implements Disposable {
  readonly #bus: Bus
  readonly #events: ReaderEvents
  readonly #id = nuid.next()
  readonly #subject: string
  readonly #subscription: Subscription
  #delivered = 0
  /** Messages that were stored before the reader was opened, while they are being delivered. */
  #backlog: number | undefined = Infinity
  #over = false
  #beganInTime = false

  private constructor(bus: Bus, events: ReaderEvents) {
    this.#bus = bus
    this.#events = events
    this.#subject = readerSubject(bus.name, this.#id)
    this.#subscription = bus.nc.subscribe(this.#subject, {
      callback: (error, message) => {
        if (error === null) this.#receive(message)
        else this.#break()
      },
    })
  }

  /**
   * Begins to read at a sequence, or at a time (see the keeper's request). Rejects when the keeper does not make the
   * consumer.
   */
  static async open(
    bus: Bus,
    { events, ...wanted }: Omit<ReaderRequest, 'id'> & { events: ReaderEvents },
  ): Promise<OrderedReader> {
    const reader = new OrderedReader(bus, events)
    try {
      const { pending } = await requestKeeper(bus, 'reader', { id: reader.#id, ...wanted })
      if (reader.#over) throw new Error('the reader broke before its request was answered')
      reader.#beganInTime = pending !== undefined
      if (reader.#backlog !== undefined) reader.#backlog = pending ?? 0
      reader.#reportCaughtUp()
      return reader
    } catch (error) {
      reader[Symbol.dispose]()
      throw error
    }
  }

  /** Whether it begins where requested; keepers of earlier releases ignore a time. */
  get beganInTime(): boolean {
    return this.#beganInTime
  }

  [Symbol.dispose](): void {
    if (this.#over) return
    this.#over = true
    this.#subscription.unsubscribe()
  }

  #receive(message: Msg): void {
    if (this.#over) return
    this.#events.alive()
    if (message.subject === this.#subject) return this.#control(message)
    const delivery = deliveryOf(message)
    if (delivery?.delivered !== this.#delivered + 1) return this.#break()
    this.#delivered = delivery.delivered
    this.#events.message(message, delivery)
    if (this.#backlog !== undefined && delivery.pending === 0) this.#backlog = this.#delivered
    this.#reportCaughtUp()
  }

  #reportCaughtUp(): void {
    if (this.#over || this.#backlog === undefined || this.#delivered < this.#backlog) return
    this.#backlog = undefined
    this.#events.caughtUp()
  }

  /** Answers flow control. A heartbeat carries the server's position, or shows that it waits for that answer. */
  #control(message: Msg): void {
    const status = message.headers
    if (status === undefined) return
    if (status.code !== 100) return this.#break()
    if (message.reply) {
      message.respond()
      return
    }
    const stalled = status.get('Nats-Consumer-Stalled')
    if (stalled !== '') this.#bus.nc.publish(stalled)
    const delivered = status.get('Nats-Last-Consumer')
    if (delivered === '') return
    if (Number(delivered) !== this.#delivered) return this.#break()
    // The newest messages may have been removed from the stream before they were delivered.
    if (stalled === '' && Number.isFinite(this.#backlog)) this.#backlog = this.#delivered
    this.#reportCaughtUp()
  }

  #break(): void {
    if (this.#over) return
    this[Symbol.dispose]()
    this.#events.broken()
  }
}
