type CallerKey = string | symbol

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
 * free slot goes to the caller with the fewest slots, and among equals to the one that has waited longest since it
 * last had a slot. However many calls the others keep waiting, each of them comes before a new caller at most once.
 */
export class FairSemaphore {
  readonly #options: Options
  readonly #atOncePerCaller: number
  readonly #waiting = new Map<() => void, CallerKey>()
  readonly #running = new Map<CallerKey, number>()
  #freeSlots: number

  constructor(options: Options) {
    this.#options = options
    this.#freeSlots = options.atOnce
    this.#atOncePerCaller = options.atOncePerCaller ?? options.atOnce
  }

  /**
   * Runs the work once a slot is free, for `caller` or, by default, for a new caller. Rejects with `refusal` if the
   * queue is full or the wait takes too long.
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
    for (const [enter, waitingCaller] of [...this.#waiting]) {
      if (waitingCaller !== caller) continue
      this.#waiting.delete(enter)
      this.#waiting.set(enter, caller)
    }
    let next: (() => void) | undefined
    let fewest = this.#atOncePerCaller
    for (const [enter, waitingCaller] of this.#waiting) {
      const running = this.#runningOf(waitingCaller)
      if (running < fewest) [next, fewest] = [enter, running]
    }
    next?.()
  }

  #wait(caller: CallerKey): Promise<void> {
    const { maxWaiting, maxWaitingPerCaller = maxWaiting, maxWaitMs, refusal } = this.#options
    const ofCaller = [...this.#waiting.values()].filter((one) => one === caller).length
    if (this.#waiting.size >= maxWaiting || ofCaller >= maxWaitingPerCaller) return Promise.reject(refusal())
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(enter)
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
      const tooLong = maxWaitMs === undefined ? undefined : setTimeout(refuse, maxWaitMs)
      this.#waiting.set(enter, caller)
    })
  }
}
