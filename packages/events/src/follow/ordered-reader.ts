import { nuid, type Msg, type Subscription } from 'nats'
import type { Bus } from '@parley/rpc'
import { requestKeeper, type ReaderRequest } from '../keep/requests.ts'
import { deliveryOf, type Delivery } from '../stream/delivery.ts'
import { readerSubject } from '../subjects.ts'

/** No callback is called after `onBroken`. */
export type ReaderCallbacks = {
  /** Called synchronously, in order. */
  onMessage(message: Msg, delivery: Delivery): void
  /**
   * Called once all messages stored before the reader was opened have been delivered; at once if the keeper is of an
   * earlier release, which does not count them.
   */
  onCaughtUp(): void
  onActivity(): void
  onBroken(): void
}

/**
 * Reads from an ephemeral push consumer that the keeper creates. The numbers of its deliveries reveal missing messages.
 * A broken reader is not recreated: its user opens a new one.
 */
export class OrderedReader implements Disposable {
  readonly #bus: Bus
  readonly #callbacks: ReaderCallbacks
  readonly #id = nuid.next()
  readonly #subject: string
  readonly #subscription: Subscription
  #delivered = 0
  /**
   * Messages stored before the reader was opened: Infinity until the keeper answers, 0 if it does not count them,
   * undefined once they have been delivered.
   */
  #backlog: number | undefined = Infinity
  #isClosed = false
  #startedAsRequested = false

  private constructor(bus: Bus, callbacks: ReaderCallbacks) {
    this.#bus = bus
    this.#callbacks = callbacks
    this.#subject = readerSubject(bus.name, this.#id)
    this.#subscription = bus.nc.subscribe(this.#subject, {
      callback: (error, message) => {
        if (error === null) this.#receive(message)
        else this.#break()
      },
    })
  }

  /**
   * `wanted`: see `KeeperRequests.reader`. Rejects if the keeper does not create the consumer, or if the reader breaks
   * before the keeper answers.
   */
  static async open(
    bus: Bus,
    { callbacks, ...wanted }: Omit<ReaderRequest, 'id'> & { callbacks: ReaderCallbacks },
  ): Promise<OrderedReader> {
    const reader = new OrderedReader(bus, callbacks)
    try {
      const { pending } = await requestKeeper(bus, 'reader', { id: reader.#id, ...wanted })
      if (reader.#isClosed) throw new Error('the reader broke before its request was answered')
      reader.#startedAsRequested = pending !== undefined
      if (reader.#backlog !== undefined) reader.#backlog = pending ?? 0
      reader.#reportCaughtUp()
      return reader
    } catch (error) {
      reader[Symbol.dispose]()
      throw error
    }
  }

  /** Whether the reader started where requested. Keepers of earlier releases ignore a time. */
  get startedAsRequested(): boolean {
    return this.#startedAsRequested
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#subscription.unsubscribe()
  }

  #receive(message: Msg): void {
    if (this.#isClosed) return
    this.#callbacks.onActivity()
    if (message.subject === this.#subject) return this.#control(message)
    const delivery = deliveryOf(message)
    if (delivery?.consumerSeq !== this.#delivered + 1) return this.#break()
    this.#delivered = delivery.consumerSeq
    this.#callbacks.onMessage(message, delivery)
    if (this.#backlog !== undefined && delivery.pending === 0) this.#backlog = this.#delivered
    this.#reportCaughtUp()
  }

  #reportCaughtUp(): void {
    if (this.#isClosed || this.#backlog === undefined || this.#delivered < this.#backlog) return
    this.#backlog = undefined
    this.#callbacks.onCaughtUp()
  }

  /**
   * Answers flow control. A heartbeat carries the number of deliveries, and may show that the server waits for an
   * answer.
   */
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
    if (stalled === '' && Number.isFinite(this.#backlog)) this.#backlog = this.#delivered
    this.#reportCaughtUp()
  }

  #break(): void {
    if (this.#isClosed) return
    this[Symbol.dispose]()
    this.#callbacks.onBroken()
  }
}
