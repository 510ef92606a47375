import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { beatWithin } from './beat.ts'

const resolutionMs = 20
const lookEveryMs = 4_000
/** Part of the time in which the loop must be active to be measured: the measuring itself is far below it. */
const active = 0.1

/**
 * How late the timers of the event loop fire. It is measured only while the loop is busy: measuring wakes the process
 * fifty times a second, and an idle loop is never late.
 */
export class EventLoopLag implements Disposable {
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs })
  #timer: NodeJS.Timeout | undefined
  #seen = performance.eventLoopUtilization()
  #latestMs = 0

  constructor() {
    this.#delay.enable()
    this.#wait()
  }

  /** Seconds, of what was measured since the last reset. */
  p99(): number {
    return lagSeconds(this.#delay.percentile(99))
  }

  /** Returns the longest lag since the last call, in seconds, and resets it. */
  takeMax(): number {
    const longest = Math.max(lagSeconds(this.#delay.max), this.#latestMs / 1000)
    this.#delay.reset()
    this.#latestMs = 0
    return longest
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#delay.disable()
  }

  #wait(): void {
    const dueAt = beatWithin(lookEveryMs)
    this.#timer = setTimeout(() => this.#look(dueAt), dueAt - performance.now()).unref()
  }

  #look(dueAt: number): void {
    this.#latestMs = Math.max(this.#latestMs, performance.now() - dueAt)
    const { utilization } = performance.eventLoopUtilization(this.#seen)
    this.#seen = performance.eventLoopUtilization()
    if (utilization >= active) this.#delay.enable()
    else this.#delay.disable()
    this.#wait()
  }
}

// The monitor reports the time between two wake-ups of its timer, so its own interval is not lag.
function lagSeconds(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000) : 0
}
