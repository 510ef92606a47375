type CallerKey = string | symbol

type Waiter = { caller: CallerKey; enter: () => void; refuse: () => void }

type Options = {
  atOnce: number
  /** Default: no limit. */
  atOncePerCaller?: number
  maxWaiting: number
  /** Default: no limit. */
  maxWaitingPerCaller?: number
  refusal: () => Error
  /** Default: unlimited. */
  maxWaitMs?: number
}

/**
 * A semaphore with a bounded queue and, if `maxWaitMs` is set, a bounded wait; calls beyond these bounds are refused. A
 * free slot goes to the caller with the fewest slots, and among equals to the one that has waited longest since it last
 * had a slot. However many calls the other callers have waiting, each of these callers precedes a new caller at most
 * once. If the queue is full, the caller with the most waiting calls loses its newest one to a caller that has at least
 * two fewer.
 */
export class FairSemaphore {
  readonly #options: Options
  readonly #atOncePerCaller: number
  readonly #waiting = new Set<Waiter>()
  readonly #running = new Map<CallerKey, number>()
  #freeSlots: number

  constructor(options: Options) {
    this.#options = options
    this.#freeSlots = options.atOnce
    this.#atOncePerCaller = options.atOncePerCaller ?? options.atOnce
  }

  /**
   * Runs the work once a slot is free, for `caller` or, by default, for a new caller. Rejects with `refusal` if the
   * queue has no room, the call loses its place in it, or the wait takes too long.
   */
  async run<T>(work: () => Promise<T>, caller: CallerKey = Symbol()): Promise<T> {
    if (this.#freeSlots > 0 && this.#runningOf(caller) < this.#atOncePerCaller) this.#enter(caller)
    else await this.#wait(caller)
    try {
      return await work()
    } finally {
      this.#leave(caller)
    }
  }

  #runningOf(caller: CallerKey): number {
    return this.#running.get(caller) ?? 0
  }

  #enter(caller: CallerKey): void {
    this.#freeSlots--
    this.#running.set(caller, this.#runningOf(caller) + 1)
  }

  #leave(caller: CallerKey): void {
    this.#freeSlots++
    const left = this.#runningOf(caller) - 1
    if (left > 0) this.#running.set(caller, left)
    else this.#running.delete(caller)
    for (const waiter of this.#waitersOf(caller)) {
      this.#waiting.delete(waiter)
      this.#waiting.add(waiter)
    }
    let next: Waiter | undefined
    let fewest = this.#atOncePerCaller
    for (const waiter of this.#waiting) {
      const running = this.#runningOf(waiter.caller)
      if (running < fewest) [next, fewest] = [waiter, running]
    }
    next?.enter()
  }

  #wait(caller: CallerKey): Promise<void> {
    const { maxWaiting, maxWaitingPerCaller = maxWaiting, maxWaitMs, refusal } = this.#options
    const own = this.#waitersOf(caller).length
    if (own >= maxWaitingPerCaller) return Promise.reject(refusal())
    if (this.#waiting.size >= maxWaiting && !this.#makeRoom(own)) return Promise.reject(refusal())
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(waiter)
        clearTimeout(tooLong)
      }
      const enter = (): void => {
        stop()
        this.#enter(caller)
        resolve()
      }
      const refuse = (): void => {
        stop()
        reject(refusal())
      }
      const waiter = { caller, enter, refuse }
      const tooLong = maxWaitMs === undefined ? undefined : setTimeout(refuse, maxWaitMs)
      this.#waiting.add(waiter)
    })
  }

  #waitersOf(caller: CallerKey): Waiter[] {
    return [...this.#waiting].filter((waiter) => waiter.caller === caller)
  }

  /** For a caller with `own` waiting calls. Returns false if no caller has at least two more. */
  #makeRoom(own: number): boolean {
    const calls = new Map<CallerKey, number>()
    let [newest, most]: [Waiter | undefined, number] = [undefined, own + 1]
    for (const waiter of this.#waiting) {
      const count = (calls.get(waiter.caller) ?? 0) + 1
      calls.set(waiter.caller, count)
      if (count > most) [newest, most] = [waiter, count]
    }
    newest?.refuse()
    return newest !== undefined
  }
}
