import type { EagerLimiter } from './eager-limiter.ts'
import type { Network } from './networks.ts'

type Waiter = {
  networks: readonly Network[]
  resolve: (waitMs: number) => void
  queue?: string | undefined
}

/** Waiting look-ups of one network. The number is limited because each keeps a request open. */
export const maxWaiting = 1_000
const retryAfterMs = 1_000

/**
 * Lets a look-up begin if every network of its address has more points left than running look-ups. So a burst cannot
 * exceed a limit that counts only failed look-ups. If a network has no points left, the look-up is refused. Otherwise
 * it waits: a burst of valid credentials is delayed, not refused, as long as the queue of the network has room.
 */
export class LookUpGate {
  readonly #limiter: Pick<EagerLimiter, 'left' | 'wait'>
  readonly #running = new Map<string, number>()
  /** Waiting callers by the network that is full. A finished look-up of that network wakes them. */
  readonly #waiting = new Map<string, Set<Waiter>>()

  constructor(limiter: Pick<EagerLimiter, 'left' | 'wait'>) {
    this.#limiter = limiter
  }

  /**
   * Resolves to 0 when the look-up may begin; call {@link LookUpGate.leave} afterwards. Otherwise resolves to the
   * milliseconds after which to try again, because no points are left, {@link maxWaiting} others already wait, or the
   * caller was aborted.
   *
   * @param signal - of the caller; called only if the look-up has to wait
   */
  enter(networks: readonly Network[], signal?: () => AbortSignal): Promise<number> {
    return new Promise((resolve) => {
      const waiter: Waiter = { networks, resolve }
      this.#admitOrQueue(waiter, this.#fullOf(networks))
      if (waiter.queue !== undefined && signal) this.#leaveWhenAborted(waiter, signal())
    })
  }

  /** Call it after the outcome was counted. */
  leave(networks: readonly Network[]): void {
    for (const { id } of networks) {
      const left = (this.#running.get(id) ?? 0) - 1
      if (left > 0) this.#running.set(id, left)
      else this.#running.delete(id)
    }
    for (const { id } of networks) this.#wake(id)
  }

  #leaveWhenAborted(waiter: Waiter, signal: AbortSignal): void {
    const { resolve } = waiter
    const leave = (): void => {
      if (waiter.queue !== undefined) this.#waiting.get(waiter.queue)?.delete(waiter)
      resolve(retryAfterMs)
    }
    waiter.resolve = (waitMs) => {
      signal.removeEventListener('abort', leave)
      resolve(waitMs)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  }

  #wake(id: string): void {
    const waiting = this.#waiting.get(id)
    for (const waiter of waiting ?? []) {
      const full = this.#fullOf(waiter.networks)
      if (full === id) return
      waiting?.delete(waiter)
      this.#admitOrQueue(waiter, full)
    }
    this.#waiting.delete(id)
  }

  #admitOrQueue(waiter: Waiter, full: string | undefined): void {
    waiter.queue = full
    if (full !== undefined) {
      const waiting = this.#waiting.get(full) ?? new Set()
      if (waiting.size >= maxWaiting) {
        waiter.queue = undefined
        return waiter.resolve(retryAfterMs)
      }
      this.#waiting.set(full, waiting.add(waiter))
      return
    }
    const waitMs = Math.max(0, ...waiter.networks.map(({ id, budgetFactor }) => this.#limiter.wait(id, budgetFactor)))
    if (waitMs === 0) for (const { id } of waiter.networks) this.#running.set(id, (this.#running.get(id) ?? 0) + 1)
    waiter.resolve(waitMs)
  }

  /**
   * The network that would have no points left if every running look-up failed. Undefined also if a network has no
   * points left at all: then the look-up is refused instead of waiting.
   */
  #fullOf(networks: readonly Network[]): string | undefined {
    const remaining = networks.map(({ id, budgetFactor }) => ({ id, left: this.#limiter.left(id, budgetFactor) }))
    if (remaining.some(({ left }) => left <= 0)) return undefined
    return remaining.find(({ id, left }) => (this.#running.get(id) ?? 0) >= left)?.id
  }
}
