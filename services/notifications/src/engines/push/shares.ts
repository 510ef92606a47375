import { lanes, type Lane } from '../../domain/push-lanes.ts'

/** How often in a row a waiting lane may be passed over for an earlier one. */
const maxPassed: Record<Lane, number> = { first: Infinity, soon: 2, mass: 4 }

/** Shares turns among lanes: the first that waits has the turn, unless a later one was passed over often enough. */
export class Shares {
  readonly #passed: Record<Lane, number> = { first: 0, soon: 0, mass: 0 }

  /** The lane whose turn it is; undefined when none waits. */
  next(waiting: ReadonlySet<Lane>): Lane | undefined {
    const those = lanes.filter((lane) => waiting.has(lane))
    return those.findLast((lane) => this.#passed[lane] >= maxPassed[lane]) ?? those[0]
  }

  /** Records that a lane had a turn while others waited. */
  took(taken: Lane, waiting: ReadonlySet<Lane>): void {
    for (const lane of waiting) this.#passed[lane]++
    this.#passed[taken] = 0
  }
}
