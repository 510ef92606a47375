import { countQueued } from '../metrics.ts'

export type Admissible = {
  /** Must call `leave` in the end. */
  begin(): void
  refuse(reason: 'overloaded' | 'late'): void
  readonly startByAt: number
}

/** Limits concurrent calls, queues a limited number of others, and refuses the rest at once. */
export class Admission {
  readonly #slots: number
  readonly #queueLimit: number
  readonly #now: () => number
  readonly #queue: { readonly call: Admissible; readonly since: number }[] = []
  #running = 0

  constructor(slots: number, queueLimit: number, now: () => number) {
    this.#slots = slots
    this.#queueLimit = queueLimit
    this.#now = now
  }

  enter(call: Admissible): void {
    if (this.#running < this.#slots) this.#begin(call)
    else if (this.#queue.length < this.#queueLimit) this.#queue.push({ call, since: this.#now() })
    else call.refuse('overloaded')
  }

  leave(): void {
    this.#running--
    while (this.#running < this.#slots) {
      const next = this.#queue.shift()
      if (!next) return
      const now = this.#now()
      if (now > next.call.startByAt) {
        next.call.refuse('late')
        continue
      }
      countQueued(now - next.since)
      this.#begin(next.call)
    }
  }

  /** Refuses requests that have waited too long, so that they are tried elsewhere while there is time. */
  refuseLate(): void {
    const now = this.#now()
    for (let i = this.#queue.length - 1; i >= 0; i--) {
      const call = this.#queue[i]?.call
      if (call && now > call.startByAt) {
        this.#queue.splice(i, 1)
        call.refuse('late')
      }
    }
  }

  get full(): boolean {
    return this.#running >= this.#slots && this.#queue.length >= this.#queueLimit
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#queue.length
  }

  get size(): number {
    return this.#running + this.#queue.length
  }

  #begin(call: Admissible): void {
    this.#running++
    call.begin()
  }
}
