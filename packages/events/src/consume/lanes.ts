import type { Msg } from 'nats'
import { shardCount, shardOf } from '../outbox/shards.ts'

/**
 * Runs work on messages side by side, those of one aggregate one after the other: the rows of an aggregate are not fought
 * over, and its events are handled in order as long as none fails.
 */
export class Lanes {
  /** Must not reject. */
  readonly #work: (message: Msg) => Promise<void>
  readonly #lanes: Promise<void>[] = Array.from({ length: shardCount }, () => Promise.resolve())
  #size = 0
  #waiting: { below: number; resolve: () => void }[] = []

  constructor(work: (message: Msg) => Promise<void>) {
    this.#work = work
  }

  /** Messages in hand. */
  get size(): number {
    return this.#size
  }

  add(message: Msg): void {
    this.#size++
    const lane = shardOf(aggregateOf(message.subject))
    const before = this.#lanes[lane] ?? Promise.resolve()
    this.#lanes[lane] = before.then(() => this.#work(message)).finally(() => this.#done())
  }

  /** Resolves when fewer than this many messages are in hand. */
  async below(count: number): Promise<void> {
    if (this.#size < count) return
    await new Promise<void>((resolve) => this.#waiting.push({ below: count, resolve }))
  }

  /** Resolves when nothing is in hand. */
  idle(): Promise<void> {
    return this.below(1)
  }

  #done(): void {
    this.#size--
    const ready = this.#waiting.filter((waiter) => this.#size < waiter.below)
    this.#waiting = this.#waiting.filter((waiter) => this.#size >= waiter.below)
    for (const waiter of ready) waiter.resolve()
  }
}

/** `evt.room.R1.message_posted` and `evt.control.user.U1.roles_changed`: all but the kind. */
function aggregateOf(subject: string): string {
  return subject.slice(0, subject.lastIndexOf('.'))
}
