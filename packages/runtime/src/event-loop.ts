import { performance } from 'node:perf_hooks'

const blockMs = 400
const windowMs = 10_000
const limitMs = 5_000
/** How often is looked while the loop is mostly idle, and while it is not. */
const [restMs, closelyMs] = [2_000, 100]
const busy = 0.25

/** How long the event loop was blocked of late, told by a tick. */
export class EventLoopStalls {
  #stalls: { endedAt: number; ms: number }[] = []
  #lastTick: number
  #expectedMs = restMs

  constructor(now: number) {
    this.#lastTick = now
  }

  /**
   * To be called when the tick comes, with the milliseconds since the last one in which the loop did not wait. A tick that
   * is so late that it matters tells of a stall. Returns the milliseconds until the next one.
   */
  tick(now: number, activeMs: number): number {
    const elapsed = now - this.#lastTick
    const late = elapsed - this.#expectedMs
    this.#lastTick = now
    // One that began long before the tick was due is longer than the tick is late.
    const ms = this.#expectedMs === closelyMs ? late : activeMs
    if (late >= blockMs) this.#stalls.push({ endedAt: now, ms: Math.min(ms, windowMs) })
    this.#stalls = this.#stalls.filter(({ endedAt }) => endedAt > now - windowMs)
    return (this.#expectedMs = activeMs >= busy * elapsed ? closelyMs : restMs)
  }

  /** Why the process should get no work now, if so: it was blocked for half of the last ten seconds. */
  reason(now: number): string | undefined {
    const recent = this.#stalls.filter(({ endedAt }) => endedAt > now - windowMs)
    const blocked = recent.reduce((sum, { ms }) => sum + ms, 0)
    return blocked < limitMs ? undefined : `blocked for ${(blocked / 1000).toFixed(1)} s of the last 10 s`
  }
}

/** Watches the event loop of this process until disposed, closely only while it is busy: an idle one stays asleep. */
export function watchEventLoop(): { reason(): string | undefined } & Disposable {
  const stalls = new EventLoopStalls(performance.now())
  let seen = performance.eventLoopUtilization()
  let timer: NodeJS.Timeout
  const wait = (ms: number): void => {
    timer = setTimeout(look, ms).unref()
  }
  const look = (): void => {
    const { active } = performance.eventLoopUtilization(seen)
    seen = performance.eventLoopUtilization()
    wait(stalls.tick(performance.now(), active))
  }
  wait(restMs)
  return { reason: () => stalls.reason(performance.now()), [Symbol.dispose]: () => clearTimeout(timer) }
}
