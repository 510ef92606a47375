import type { Msg } from 'nats'

/** What keeps pulled messages until they are handled. */
export type InFlight = {
  /** Messages in hand. */
  readonly size: number
  add(message: Msg): void
  /** Resolves when fewer than this many messages are in hand. */
  below(count: number): Promise<void>
}

/** Counts what is in hand, for those who wait until it is less. */
export class InFlightCount {
  #size = 0
  #waiting: { below: number; resolve: () => void }[] = []

  get size(): number {
    return this.#size
  }

  more(): void {
    this.#size++
  }

  less(count: number): void {
    this.#size -= count
    const ready = this.#waiting.filter((waiter) => this.#size < waiter.below)
    this.#waiting = this.#waiting.filter((waiter) => this.#size >= waiter.below)
    for (const waiter of ready) waiter.resolve()
  }

  async below(count: number): Promise<void> {
    if (this.#size < count) return
    await new Promise<void>((resolve) => this.#waiting.push({ below: count, resolve }))
  }
}
