import type { EagerLimiter } from './eager-limiter.ts'
import type { Network } from './networks.ts'

type Waiter = { networks: readonly Network[]; resolve: (waitMs: number) => void }

/**
 * Lets look-ups begin while every network has points left for each that is under way, so that a burst does not run beyond a
 * limit that counts outcomes. Further ones wait: many that succeed at once are late, not refused.
 */
export class LookUpGate {
  readonly #limiter: Pick<EagerLimiter, 'left' | 'wait'>
  readonly #underWay = new Map<string, number>()
  /** By the network that has no room. Its look-ups under way wake them. */
  readonly #waiting = new Map<string, Set<Waiter>>()

  constructor(limiter: Pick<EagerLimiter, 'left' | 'wait'>) {
    this.#limiter = limiter
  }

  /** Resolves to 0 when the look-up may begin; it must {@link LookUpGate.leave}. Otherwise milliseconds until there are points again. */
  enter(networks: readonly Network[]): Promise<number> {
    return new Promise((resolve) => this.#place({ networks, resolve }, this.#fullOf(networks)))
  }

  /** After its outcome was counted. */
  leave(networks: readonly Network[]): void {
    for (const { id } of networks) {
      const left = (this.#underWay.get(id) ?? 0) - 1
      if (left > 0) this.#underWay.set(id, left)
      else this.#underWay.delete(id)
    }
    for (const { id } of networks) this.#wake(id)
  }

  #wake(id: string): void {
    const waiting = this.#waiting.get(id)
    for (const waiter of waiting ?? []) {
      const full = this.#fullOf(waiter.networks)
      if (full === id) return
      waiting?.delete(waiter)
      this.#place(waiter, full)
    }
    this.#waiting.delete(id)
  }

  #place(waiter: Waiter, full: string | undefined): void {
    if (full !== undefined) {
      const waiting = this.#waiting.get(full) ?? new Set()
      this.#waiting.set(full, waiting.add(waiter))
      return
    }
    const waitMs = Math.max(0, ...waiter.networks.map(({ id, share }) => this.#limiter.wait(id, share)))
    if (waitMs === 0) for (const { id } of waiter.networks) this.#underWay.set(id, (this.#underWay.get(id) ?? 0) + 1)
    waiter.resolve(waitMs)
  }

  /** A network with no points left if every look-up under way failed; none where one has no points at all: it is refused. */
  #fullOf(networks: readonly Network[]): string | undefined {
    const room = networks.map(({ id, share }) => ({ id, left: this.#limiter.left(id, share) }))
    if (room.some(({ left }) => left <= 0)) return undefined
    return room.find(({ id, left }) => (this.#underWay.get(id) ?? 0) >= left)?.id
  }
}
