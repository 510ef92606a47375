import { logger } from '@parley/telemetry'

const log = logger('targets')
const pauseMs = 10_000

/** Equivalent servers, used round-robin; one that failed recently is tried last. */
export class Targets<Target> {
  readonly #what: string
  readonly #all: readonly Target[]
  readonly #pausedUntil = new Map<Target, number>()
  #turn = 0

  constructor(what: string, targets: readonly Target[]) {
    this.#what = what
    this.#all = targets
  }

  get all(): readonly Target[] {
    return this.#all
  }

  inOrder(): Target[] {
    const first = this.#all.length === 0 ? 0 : this.#turn++ % this.#all.length
    const rotated = [...this.#all.slice(first), ...this.#all.slice(0, first)]
    return [...rotated.filter((one) => !this.#isPaused(one)), ...rotated.filter((one) => this.#isPaused(one))]
  }

  markFailed(target: Target, failure: unknown): void {
    if (!this.#isPaused(target))
      log.warn(
        { err: failure, what: this.#what },
        'a server behind the gateway failed; it is tried last for ten seconds',
      )
    this.#pausedUntil.set(target, performance.now() + pauseMs)
  }

  #isPaused(target: Target): boolean {
    return (this.#pausedUntil.get(target) ?? -Infinity) > performance.now()
  }
}
