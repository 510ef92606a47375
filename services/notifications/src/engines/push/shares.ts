import { pushPriorities, type PushPriority } from '../../domain/push-priority.ts'

/** How many turns in a row a queue that is not empty may lose to queues before it. */
const maxPassed: Record<PushPriority, number> = { first: Infinity, soon: 2, mass: 4 }

/**
 * Shares turns among the queues of pushes: the first that is not empty has the turn, unless a later one has lost its
 * maximum of turns.
 */
export class Shares {
  readonly #passed: Record<PushPriority, number> = { first: 0, soon: 0, mass: 0 }

  /** The queue whose turn it is; undefined when all are empty. */
  next(waiting: ReadonlySet<PushPriority>): PushPriority | undefined {
    const candidates = pushPriorities.filter((lane) => waiting.has(lane))
    return candidates.findLast((lane) => this.#passed[lane] >= maxPassed[lane]) ?? candidates[0]
  }

  /** Records that a queue had a turn while others were not empty. */
  took(taken: PushPriority, waiting: ReadonlySet<PushPriority>): void {
    for (const lane of waiting) this.#passed[lane]++
    this.#passed[taken] = 0
  }
}
