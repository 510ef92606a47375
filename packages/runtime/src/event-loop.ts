const tickMs = 100
const blockMs = 400
const windowMs = 10_000
const limitMs = 5_000

/** How long the event loop was blocked of late, told by a regular tick. */
export class EventLoopStalls {
  #stalls: { endedAt: number; ms: number }[] = []
  #lastTick: number

  constructor(now: number) {
    this.#lastTick = now
  }

  /** To be called every 100 ms. What is missing to that was a stall, if it is long enough to matter. */
  tick(now: number): void {
    const late = now - this.#lastTick - tickMs
    this.#lastTick = now
    if (late >= blockMs) this.#stalls.push({ endedAt: now, ms: Math.min(late, windowMs) })
    this.#stalls = this.#stalls.filter(({ endedAt }) => endedAt > now - windowMs)
  }

  /** Why the process should get no work now, if so: it was blocked for half of the last ten seconds. */
  reason(now: number): string | undefined {
    const recent = this.#stalls.filter(({ endedAt }) => endedAt > now - windowMs)
    const blocked = recent.reduce((sum, { ms }) => sum + ms, 0)
    return blocked < limitMs ? undefined : `blocked for ${(blocked / 1000).toFixed(1)} s of the last 10 s`
  }
}

/** Watches the event loop of this process until disposed. */
export function watchEventLoop(): { reason(): string | undefined } & Disposable {
  const stalls = new EventLoopStalls(performance.now())
  const timer = setInterval(() => stalls.tick(performance.now()), tickMs)
  timer.unref()
  return { reason: () => stalls.reason(performance.now()), [Symbol.dispose]: () => clearInterval(timer) }
}
