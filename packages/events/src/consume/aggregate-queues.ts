import type { Msg } from 'nats'
import { shardCount, shardOf } from '../outbox/shards.ts'
import { InFlightCount, type InFlight } from './in-flight.ts'

/**
 * Runs work on messages side by side, those of one aggregate one after the other: the rows of an aggregate are not fought
 * over, and its events are handled in order as long as none fails.
 */
export class AggregateQueues implements InFlight {
  /** Must not reject. */
  readonly #work: (message: Msg) => Promise<void>
  readonly #queues: Promise<void>[] = Array.from({ length: shardCount }, () => Promise.resolve())
  readonly #load = new InFlightCount()

  constructor(work: (message: Msg) => Promise<void>) {
    this.#work = work
  }

  get size(): number {
    return this.#load.size
  }

  add(message: Msg): void {
    this.#load.more()
    const queue = shardOf(aggregateOf(message.subject))
    const before = this.#queues[queue] ?? Promise.resolve()
    this.#queues[queue] = before.then(() => this.#work(message)).finally(() => this.#load.less(1))
  }

  below(count: number): Promise<void> {
    return this.#load.below(count)
  }
}

/** `evt.room.R1.message_posted` and `evt.control.user.U1.roles_changed`: all but the kind. */
function aggregateOf(subject: string): string {
  return subject.slice(0, subject.lastIndexOf('.'))
}
