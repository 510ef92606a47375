import { sharedTickMs, nextSharedTick, logger, withoutTrace } from '@parley/telemetry'

const failed = 'a periodic task failed'
/** Longest time that the tasks due on the same tick wait for one of them. */
const longestTurnMs = 100
/** Timers with longer delays fire at once. */
const longestTimerMs = 2 ** 31 - 1
/** Settles when the next task that is due on a shared tick may start. */
let previousTurn: Promise<unknown> = Promise.resolve()

export type PeriodicTask = {
  /** For the log. */
  name: string
  /**
   * Usual pause between two runs. Below 2.5 s, it varies by up to a tenth in both directions. From 2.5 s on, tasks run
   * on timer ticks that all tasks of a process share, so that they wake the process together. The pause is then up to
   * 2.5 s shorter; after the first run or a woken one, it may be shorter by any amount. Tasks due on the same tick start
   * one after another, so that they need one database connection and not one each; none waits longer than 0.1 s for
   * another.
   */
  everyMs: number
  signal?: AbortSignal
  /**
   * One run. Its signal is aborted when the task is to end. It may return the number of milliseconds until the next run,
   * to run sooner than after the usual pause. A failed run is logged: as a warning if the run before it did not fail and
   * the next one follows within a minute, otherwise as an error.
   */
  run: (signal: AbortSignal) => Promise<number | void> | number | void
  /** Pause after a failed run, if it is shorter than the usual pause. */
  afterFailureMs?: number
}

/** Disposing waits for the current run and ends the task. */
export type Periodic = AsyncDisposable & {
  /**
   * The next run begins within the given milliseconds, by default at once, but not before a run in progress has ended.
   * Missing and repeated calls do no harm: without a call, work waits at most for the usual pause.
   */
  wake(inMs?: number): void
}

/**
 * Runs a task periodically and whenever it is woken, never concurrently. The first run starts after a random part of
 * the pause (at most a second), so that processes that start together do not run together.
 */
export function periodically(task: PeriodicTask): Periodic {
  return new PeriodicRunner(task)
}

class PeriodicRunner implements Periodic {
  readonly #task: PeriodicTask
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  #timer: NodeJS.Timeout | undefined
  #dueAt = Infinity
  /** Whether the next run is due on a shared tick, and not at a time that a wake or a run requested. */
  #isDueOnTick = false
  #isQueued = false
  #running: Promise<void> | undefined
  #hasFailed = false

  constructor(task: PeriodicTask) {
    this.#task = task
    this.#signal = task.signal ? AbortSignal.any([task.signal, this.#stop.signal]) : this.#stop.signal
    if (this.#signal.aborted) return
    this.#signal.addEventListener('abort', () => clearTimeout(this.#timer), { once: true })
    this.wake(Math.random() * Math.min(task.everyMs, 1000))
  }

  wake(inMs = 0): void {
    const at = performance.now() + inMs
    if (at >= this.#dueAt || this.#signal.aborted) return
    this.#dueAt = at
    this.#isDueOnTick = false
    if (this.#running === undefined) this.#schedule()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    const leftMs = this.#dueAt - performance.now()
    if (leftMs <= 0) this.#begin()
    else if (leftMs > longestTimerMs) this.#timer = setTimeout(() => this.#schedule(), longestTimerMs)
    else this.#timer = setTimeout(() => this.#beginInTurn(), leftMs)
  }

  #beginInTurn(): void {
    if (!this.#isDueOnTick) return this.#begin()
    this.#isQueued = true
    this.#dueAt = Infinity
    previousTurn = previousTurn.then(async () => {
      if (!this.#isQueued || this.#signal.aborted) return
      this.#begin()
      await settledWithin(longestTurnMs, this.#running)
    })
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#isQueued = false
    this.#dueAt = Infinity
    this.#running = this.#run().then((nextInMs) => {
      this.#running = undefined
      if (this.#signal.aborted) return
      // A wake during the run counts too, because the run may have missed the new work.
      const requestedAt = Math.min(this.#dueAt, performance.now() + nextInMs)
      const usualAt = defaultTime(this.#task.everyMs)
      this.#dueAt = Math.min(requestedAt, usualAt)
      this.#isDueOnTick = usualAt < requestedAt && this.#task.everyMs >= sharedTickMs
      this.#schedule()
    })
  }

  /** Runs the task; returns the milliseconds after which it is to run again. */
  async #run(): Promise<number> {
    const { name, run, everyMs, afterFailureMs = Infinity } = this.#task
    try {
      // Otherwise a task that a request woke would belong to the trace of that request from then on.
      const nextInMs = await withoutTrace(() => run(this.#signal))
      this.#hasFailed = false
      return nextInMs ?? Infinity
    } catch (error) {
      // A run that is repeated soon usually succeeds, for example after a connection was lost.
      const level = this.#hasFailed || Math.min(everyMs, afterFailureMs) > 60_000 ? 'error' : 'warn'
      if (!this.#signal.aborted) logger('runtime')[level]({ err: error, task: name }, failed)
      this.#hasFailed = true
      return afterFailureMs
    }
  }
}

function defaultTime(everyMs: number): number {
  if (everyMs >= sharedTickMs) return nextSharedTick(everyMs)
  return performance.now() + everyMs * (0.9 + Math.random() * 0.2)
}

async function settledWithin(ms: number, promise: Promise<unknown> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))
  await Promise.race([promise, timeout])
  clearTimeout(timer)
}
