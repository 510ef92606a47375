import { lanes, type Lane } from '../../domain/push-lanes.ts'

/** How often in a row a lane lets earlier ones go before it. */
const mostPassed: Record<Lane, number> = { first: Infinity, soon: 2, mass: 4 }

/** Shares turns among lanes: the first that waits has the turn, unless a later one was passed over often enough. */
export class Shares {
  readonly #passed: Record<Lane, number> = { first: 0, soon: 0, mass: 0 }

  /** Whose turn it is; undefined when none waits. */
  next(waiting: ReadonlySet<Lane>): Lane | undefined {
    const those = lanes.filter((lane) => waiting.has(lane))
    return those.findLast((lane) => this.#passed[lane] >= mostPassed[lane]) ?? those[0]
  }

  /** A lane had the turn while those waited. */
  took(taken: Lane, waiting: ReadonlySet<Lane>): void {
    for (const lane of waiting) this.#passed[lane]++
    this.#passed[taken] = 0
  }
}
