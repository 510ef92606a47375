import { Shares } from './shares.ts'

/** Maximum number of pushes that one process has in flight. */
export const maxAtOnce = 16
/** Limit per push service that is known to work. */
export const maxPerHost = 4
/** Limit for all other push services together, one each, so that they do not delay the rest. */
const maxToOthers = 8

const maxRemembered = 1000
const longestPauseMs = 60_000

type Host = { underWay: number; isWell: boolean; failures: number; pausedUntil: number; shares: Shares }

/** Isolates push services: a slow, broken or unknown one does not delay the others. */
export class Hosts {
  readonly #hosts = new Map<string, Host>()
  readonly #busy = new Set<Host>()
  readonly #firstPauseMs: number

  constructor(firstPauseMs: number) {
    this.#firstPauseMs = firstPauseMs
  }

  get free(): number {
    return maxAtOnce - this.#sum(() => true)
  }

  /** Whether another push may be sent to a host now. */
  mayBegin(name: string, nowMs: number): boolean {
    const host = this.#host(name)
    const isFull = host.isWell
      ? host.underWay >= maxPerHost
      : host.underWay > 0 || this.#sum((one) => !one.isWell) >= maxToOthers
    return this.free > 0 && !isFull && host.pausedUntil <= nowMs
  }

  /** Starts a push to a host if the limits allow it; returns whether they do. */
  begin(name: string, nowMs: number): boolean {
    if (!this.mayBegin(name, nowMs)) return false
    const host = this.#host(name)
    host.underWay++
    this.#busy.add(host)
    this.#hosts.delete(name)
    this.#hosts.set(name, host)
    this.#forget()
    return true
  }

  /** Records that a push has ended; `isWell` is undefined if this says nothing about the host. */
  end(name: string, nowMs: number, isWell?: boolean): void {
    const host = this.#hosts.get(name)
    if (!host) return
    host.underWay--
    if (host.underWay === 0) this.#busy.delete(host)
    if (isWell === undefined) return
    host.isWell = isWell
    host.failures = isWell ? 0 : host.failures + 1
    const pauseMs = Math.min(this.#firstPauseMs * 2 ** (host.failures - 1), longestPauseMs)
    host.pausedUntil = isWell ? 0 : nowMs + pauseMs
  }

  /** How priorities share the turns of a host. */
  sharesOf(name: string): Shares {
    return this.#host(name).shares
  }

  /** An unknown host starts in the initial state. */
  #host(name: string): Host {
    return this.#hosts.get(name) ?? { underWay: 0, isWell: false, failures: 0, pausedUntil: 0, shares: new Shares() }
  }

  #sum(counts: (host: Host) => boolean): number {
    return [...this.#busy].reduce((sum, host) => sum + (counts(host) ? host.underWay : 0), 0)
  }

  #forget(): void {
    for (const [name, { underWay }] of this.#hosts) {
      if (this.#hosts.size <= maxRemembered) return
      if (underWay === 0) this.#hosts.delete(name)
    }
  }
}
