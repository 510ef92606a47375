import { performance } from 'node:perf_hooks'
import { nextSharedTick } from '@parley/telemetry'

/** A timer that fires at least this late counts as a stall. */
const minStallMs = 400
const windowMs = 10_000
/** A process whose stalls took at least this long within the window should get no work. */
const maxBlockedMs = 5_000
/**
 * Intervals of the check while the loop is mostly idle (a multiple of the timer ticks that periodic tasks share), and
 * while it is busy.
 */
const [idleMs, busyMs] = [10_000, 100]
const busyFraction = 0.25

/** How late the timer fired, and how long the loop was busy since the last measurement. */
export type Measurement = { now: number; lateMs: number; activeMs: number }

export class EventLoopStalls {
  #stalls: { endedAt: number; ms: number }[] = []
  #measuredAt: number
  #often = false

  constructor(now: number) {
    this.#measuredAt = now
  }

  /**
   * Records a measurement; a late timer means a stall of at least that time. Returns whether to measure often now,
   * because the loop is busy.
   */
  record({ now, lateMs, activeMs }: Measurement): boolean {
    if (lateMs >= minStallMs) this.#stalls.push({ endedAt: now, ms: lateMs })
    this.#stalls = this.#stalls.filter(({ endedAt }) => endedAt > now - windowMs)
    this.#often = activeMs >= busyFraction * (now - this.#measuredAt)
    this.#measuredAt = now
    return this.#often
  }

  /**
   * The reason why the process should get no work now: stalls took at least half of the last ten seconds. Undefined
   * otherwise.
   */
  reason(now: number): string | undefined {
    const since = now - windowMs
    const recent = this.#stalls.filter(({ endedAt }) => endedAt > since)
    const blocked = recent.reduce((sum, { endedAt, ms }) => sum + Math.min(ms, endedAt - since), 0)
    return blocked < maxBlockedMs ? undefined : `blocked for ${(blocked / 1000).toFixed(1)} s of the last 10 s`
  }
}

/**
 * Watches the event loop of this process until disposed. It measures often only while the loop is busy, so that an idle
 * process can sleep.
 */
export function watchEventLoop(): { reason(): string | undefined } & Disposable {
  const stalls = new EventLoopStalls(performance.now())
  let seen = performance.eventLoopUtilization()
  let timer: NodeJS.Timeout
  const waitUntil = (dueAt: number): void => {
    timer = setTimeout(() => measure(dueAt), dueAt - performance.now()).unref()
  }
  const measure = (dueAt: number): void => {
    const now = performance.now()
    const { active } = performance.eventLoopUtilization(seen)
    seen = performance.eventLoopUtilization()
    const often = stalls.record({ now, lateMs: now - dueAt, activeMs: active })
    waitUntil(often ? now + busyMs : nextSharedTick(idleMs))
  }
  waitUntil(nextSharedTick(idleMs))
  return { reason: () => stalls.reason(performance.now()), [Symbol.dispose]: () => clearTimeout(timer) }
}
