import { TurnScheduler } from './turn-scheduler.ts'

/** Pushes that one process has in flight. */
export const maxAtOnce = 16
/** Pushes in flight to a push service that is known to work. */
export const maxPerHost = 4
/** Pushes in flight to all other push services, one to each, so that they do not delay healthy ones. */
const maxToUnproven = 8

const maxRemembered = 1000
const longestPauseMs = 60_000

type Host = { inFlight: number; isHealthy: boolean; failures: number; pausedUntil: number; scheduler: TurnScheduler }

/** Slow, broken and unknown push services do not delay healthy ones. */
export class Hosts {
  readonly #hosts = new Map<string, Host>()
  readonly #busy = new Set<Host>()
  readonly #firstPauseMs: number

  constructor(firstPauseMs: number) {
    this.#firstPauseMs = firstPauseMs
  }

  get freeSlots(): number {
    return maxAtOnce - this.#countInFlight(() => true)
  }

  mayBegin(name: string, nowMs: number): boolean {
    const host = this.#host(name)
    const isFull = host.isHealthy
      ? host.inFlight >= maxPerHost
      : host.inFlight > 0 || this.#countInFlight((one) => !one.isHealthy) >= maxToUnproven
    return this.freeSlots > 0 && !isFull && host.pausedUntil <= nowMs
  }

  /** Counts a push to a host as in flight if one may be sent now; returns whether it may. */
  begin(name: string, nowMs: number): boolean {
    if (!this.mayBegin(name, nowMs)) return false
    const host = this.#host(name)
    host.inFlight++
    this.#busy.add(host)
    this.#hosts.delete(name)
    this.#hosts.set(name, host)
    this.#forgetOldest()
    return true
  }

  /** `isHealthy`: whether the host works; undefined if the push does not show it. */
  end(name: string, nowMs: number, isHealthy?: boolean): void {
    const host = this.#hosts.get(name)
    if (!host) return
    host.inFlight--
    if (host.inFlight === 0) this.#busy.delete(host)
    if (isHealthy === undefined) return
    host.isHealthy = isHealthy
    host.failures = isHealthy ? 0 : host.failures + 1
    const pauseMs = Math.min(this.#firstPauseMs * 2 ** (host.failures - 1), longestPauseMs)
    host.pausedUntil = isHealthy ? 0 : nowMs + pauseMs
  }

  schedulerOf(name: string): TurnScheduler {
    return this.#host(name).scheduler
  }

  #host(name: string): Host {
    return (
      this.#hosts.get(name) ?? {
        inFlight: 0,
        isHealthy: false,
        failures: 0,
        pausedUntil: 0,
        scheduler: new TurnScheduler(),
      }
    )
  }

  #countInFlight(isCounted: (host: Host) => boolean): number {
    return [...this.#busy].reduce((sum, host) => sum + (isCounted(host) ? host.inFlight : 0), 0)
  }

  #forgetOldest(): void {
    for (const [name, { inFlight }] of this.#hosts) {
      if (this.#hosts.size <= maxRemembered) return
      if (inFlight === 0) this.#hosts.delete(name)
    }
  }
}
