import { pushPriorities, type PushPriority } from '../../domain/push-priority.ts'

/** A waiting priority that has lost this many turns since it last got one precedes higher priorities. */
const maxPassed: Record<PushPriority, number> = { first: Infinity, soon: 2, mass: 4 }

/**
 * The highest waiting priority gets the turn, unless lower ones have lost `maxPassed` turns; then the lowest of these
 * gets it.
 */
export class TurnScheduler {
  readonly #passed: Record<PushPriority, number> = { first: 0, soon: 0, mass: 0 }

  next(waiting: ReadonlySet<PushPriority>): PushPriority | undefined {
    const candidates = pushPriorities.filter((priority) => waiting.has(priority))
    return candidates.findLast((priority) => this.#passed[priority] >= maxPassed[priority]) ?? candidates[0]
  }

  recordTurn(taken: PushPriority, waiting: ReadonlySet<PushPriority>): void {
    for (const priority of waiting) this.#passed[priority]++
    this.#passed[taken] = 0
  }
}
