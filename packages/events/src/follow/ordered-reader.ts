import { AckPolicy, createInbox, DeliverPolicy, nanos, ReplayPolicy, type Msg, type Subscription } from 'nats'
import type { Bus } from '@parley/rpc'
import { jetStream } from '../stream/api.ts'
import { deliveryOf, type Delivery } from '../stream/delivery.ts'
import { eventStream } from '../subjects.ts'

/** Two of them fit into the silence that a follower bears. */
const heartbeatMs = 1250

/** What an ordered reader tells. After `broken` it tells nothing more. */
export type ReaderEvents = {
  /** A message, next in order. Called synchronously. */
  message(message: Msg, delivery: Delivery): void
  /** The server lives: a message or a heartbeat came. */
  alive(): void
  /** Something is missing between what came before and what comes now, or the consumer is gone. */
  broken(): void
}

/**
 * An ephemeral consumer that the server pushes to, with flow control and heartbeats. Its own sequence shows every hole.
 * It is the lean half of an ordered consumer: who reads through it makes a new one when it breaks.
 */
export class OrderedReader implements Disposable {
  readonly #bus: Bus
  readonly #events: ReaderEvents
  readonly #inbox: string
  readonly #subscription: Subscription
  #delivered = 0
  #over = false

  private constructor(bus: Bus, events: ReaderEvents) {
    this.#bus = bus
    this.#events = events
    this.#inbox = createInbox(bus.inboxPrefix)
    this.#subscription = bus.nc.subscribe(this.#inbox, {
      callback: (error, message) => {
        if (error === null) this.#receive(message)
        else this.#break()
      },
    })
  }

  /** Begins to read at a sequence. Rejects when the server does not make the consumer. */
  static async open(
    bus: Bus,
    options: { subject: string; startSeq: number; events: ReaderEvents },
  ): Promise<OrderedReader> {
    const reader = new OrderedReader(bus, options.events)
    try {
      const { manager } = await jetStream(bus)
      await manager.consumers.add(eventStream, {
        deliver_subject: reader.#inbox,
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: options.startSeq,
        filter_subject: options.subject,
        ack_policy: AckPolicy.None,
        replay_policy: ReplayPolicy.Instant,
        max_deliver: 1,
        flow_control: true,
        idle_heartbeat: nanos(heartbeatMs),
        mem_storage: true,
        num_replicas: 1,
      })
      return reader
    } catch (error) {
      reader[Symbol.dispose]()
      throw error
    }
  }

  [Symbol.dispose](): void {
    if (this.#over) return
    this.#over = true
    this.#subscription.unsubscribe()
  }

  #receive(message: Msg): void {
    if (this.#over) return
    this.#events.alive()
    if (message.subject === this.#inbox) return this.#control(message)
    const delivery = deliveryOf(message)
    if (delivery?.delivered !== this.#delivered + 1) return this.#break()
    this.#delivered = delivery.delivered
    this.#events.message(message, delivery)
  }

  /** Flow control wants an answer; a heartbeat tells how far the server is, or that it waits for that answer. */
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
    if (delivered !== '' && Number(delivered) !== this.#delivered) this.#break()
  }

  #break(): void {
    if (this.#over) return
    this[Symbol.dispose]()
    this.#events.broken()
  }
}
