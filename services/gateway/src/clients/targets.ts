import { logger } from '@parley/telemetry'

const log = logger('targets')
/** How long a failed server is used only if no other is left, in milliseconds. */
const restMs = 10_000

/** Equivalent servers behind the gateway. They take turns; a server that failed recently is tried last. */
export class Targets<Target> {
  readonly #what: string
  readonly #all: readonly Target[]
  readonly #restUntil = new Map<Target, number>()
  #turn = 0

  /** @param what - name of the service that the targets provide, for the log */
  constructor(what: string, targets: readonly Target[]) {
    this.#what = what
    this.#all = targets
  }

  get all(): readonly Target[] {
    return this.#all
  }

  /** All targets in the order in which to try them now. */
  inTurn(): Target[] {
    const first = this.#all.length === 0 ? 0 : this.#turn++ % this.#all.length
    const inTurn = [...this.#all.slice(first), ...this.#all.slice(0, first)]
    return [...inTurn.filter((one) => !this.#rests(one)), ...inTurn.filter((one) => this.#rests(one))]
  }

  failed(target: Target, failure: unknown): void {
    if (!this.#rests(target))
      log.warn({ err: failure, what: this.#what }, 'a server behind the gateway failed; it is tried last from now on')
    this.#restUntil.set(target, performance.now() + restMs)
  }

  #rests(target: Target): boolean {
    return (this.#restUntil.get(target) ?? -Infinity) > performance.now()
  }
}
