import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { nextSharedTick } from './shared-tick.ts'

const resolutionMs = 20
const checkIntervalMs = 10_000
/** Checks per window. A window lasts a minute, so a reader that reads once a minute misses no window. */
const checksPerWindow = 6
/** Minimum utilization at which the precise monitor runs, far above what measuring itself causes. */
const minUtilization = 0.1

/**
 * How late the timers of the event loop fire, in windows of a minute, so that any number of readers see the same. The
 * precise monitor runs only while the loop is busy, because it wakes the process fifty times a second. While the loop
 * is idle, only the delay of the checks is measured.
 */
export class EventLoopLag implements Disposable {
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs })
  #timer: NodeJS.Timeout | undefined
  #atLastCheck = performance.eventLoopUtilization()
  #checks = 0
  /** Measured even while the monitor is off. */
  #longestCheckDelayMs = 0
  #finished: { p99: number; max: number } | undefined

  constructor() {
    this.#delay.enable()
    this.#schedule()
  }

  /** Seconds; of the last full minute, or since the start if there is none yet. */
  p99(): number {
    return this.#finished?.p99 ?? lagSeconds(this.#delay.percentile(99))
  }

  /** Seconds; of the last full minute and the time since. */
  max(): number {
    return Math.max(this.#finished?.max ?? 0, this.#longest())
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#delay.disable()
  }

  #schedule(): void {
    const dueAt = nextSharedTick(checkIntervalMs)
    this.#timer = setTimeout(() => this.#check(dueAt), dueAt - performance.now()).unref()
  }

  #check(dueAt: number): void {
    this.#longestCheckDelayMs = Math.max(this.#longestCheckDelayMs, performance.now() - dueAt)
    const { utilization } = performance.eventLoopUtilization(this.#atLastCheck)
    this.#atLastCheck = performance.eventLoopUtilization()
    if (utilization >= minUtilization) this.#delay.enable()
    else this.#delay.disable()
    this.#checks += 1
    if (this.#checks % checksPerWindow === 0) this.#endWindow()
    this.#schedule()
  }

  #longest(): number {
    return Math.max(lagSeconds(this.#delay.max), this.#longestCheckDelayMs / 1000)
  }

  #endWindow(): void {
    this.#finished = { p99: lagSeconds(this.#delay.percentile(99)), max: this.#longest() }
    this.#delay.reset()
    this.#longestCheckDelayMs = 0
  }
}

// The monitor reports the time between two wake-ups of its timer, so its own interval is not lag.
function lagSeconds(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000) : 0
}
