import type { InferInsertModel } from 'drizzle-orm'
import { isOutage, type Db } from '@parley/postgres'
import { backoffMs, periodically, type Backoff, type Periodic } from '@parley/runtime'
import { logger } from '@parley/telemetry'
import type { Job, JobQueue, JobTable } from './job-queue.ts'
import { recordWork } from './metrics.ts'

const log = logger('jobs')
const defaultLeaseMs = 15_000
const shortestPauseMs = 50
const afterFailureMs = 1_000
const attemptsKeptForOutage = 3

export type RetryPolicy = Backoff & {
  /**
   * Attempts after which a job is given up, including those interrupted by the death of the process. Default:
   * unlimited.
   */
  maxAttempts?: number
  /** Age at which a job that failed is given up; default: never. Requires a column `createdAt`. */
  maxAgeMs?: number
}

/** Abort reason of a job's signal: the job was deleted, or another process has claimed it. */
export class JobLost extends Error {
  constructor() {
    super('the job was deleted, or another process has claimed it')
  }
}

export type JobFailure = {
  error: unknown
  attempts: number
  /** An unavailable service or database is the cause, not the job itself. */
  isOutage: boolean
}

export type JobRunnerOptions<T extends JobTable> = {
  /** For the log. */
  name: string
  db: Db
  queue: JobQueue<T>
  /** Number of jobs that one process runs at a time. Default: 1. */
  atOnce?: number
  /** Duration of a lease, which is renewed after each third of it. Default: 15 s. */
  leaseMs?: number
  /**
   * How often to poll for jobs that other processes wrote or left unfinished. Jobs of this process start at once.
   */
  everyMs: number
  retry: RetryPolicy
  signal: AbortSignal
  /**
   * Runs a job. The signal is aborted when the runner is disposed, or with a `JobLost`. Returns nothing if the job is
   * done and is to be deleted; `ended` if the function has finished the job itself; otherwise new values of columns:
   * the job is then due again, in the default order after the other due jobs, and its attempts are reset. A job may run
   * twice if its process was considered dead.
   */
  run: (job: Job<T>, signal: AbortSignal) => Promise<Partial<InferInsertModel<T>> | 'ended' | void>
  /** Called when a job has failed and will be retried. */
  onFailure: (job: Job<T>, failure: JobFailure) => void
  /**
   * Called before a job that is given up is deleted, for example to park it. What it writes must depend on `whereHeld`.
   */
  giveUp?: (job: Job<T>, failure: JobFailure) => Promise<void>
}

/**
 * Runs the jobs of a queue until disposed; disposing waits for running jobs. Several processes may run the same queue.
 */
export function runJobs<T extends JobTable>(options: JobRunnerOptions<T>): AsyncDisposable {
  return new JobRunner(options)
}

class JobRunner<T extends JobTable> implements AsyncDisposable {
  readonly #options: JobRunnerOptions<T>
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  readonly #polling: Periodic
  readonly #listening: Disposable
  readonly #running = new Set<Promise<void>>()
  #mayHaveJobs = true

  constructor(options: JobRunnerOptions<T>) {
    const { db, name, everyMs, queue } = options
    this.#options = options
    const signal = (this.#signal = AbortSignal.any([options.signal, this.#stop.signal]))
    this.#polling = periodically({ name, everyMs, afterFailureMs, signal, run: () => this.#startDueJobs() })
    this.#listening = queue.listen(db, () => this.#pollSoon())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening[Symbol.dispose]()
    this.#stop.abort()
    await this.#polling[Symbol.asyncDispose]()
    await Promise.all(this.#running)
  }

  /** Starts as many jobs as there are free slots. Returns the milliseconds until the next one is due. */
  async #startDueJobs(): Promise<number | void> {
    const { db, queue, atOnce = 1, leaseMs = defaultLeaseMs } = this.#options
    const free = atOnce - this.#running.size
    // The end of a running job causes the next poll.
    if (free <= 0 || this.#signal.aborted) return
    if (!this.#mayHaveJobs) {
      // Usually no job is due, and this is the only statement.
      const nextMs = await this.#nextMs()
      if (nextMs > 0) return Math.max(nextMs, shortestPauseMs)
    }
    this.#mayHaveJobs = false
    const jobs = await queue.claim(db, { leaseMs, limit: free })
    for (const job of jobs) this.#start(job)
    if (jobs.length < free) return Math.max(await this.#nextMs(), shortestPauseMs)
  }

  /** Milliseconds until the next job may be claimed; Infinity when there is none. */
  async #nextMs(): Promise<number> {
    return (await this.#options.queue.nextMs(this.#options.db)) ?? Infinity
  }

  #pollSoon(): void {
    this.#mayHaveJobs = true
    this.#polling.wake()
  }

  #start(job: Job<T>): void {
    const { name } = this.#options
    const done = this.#work(job)
      // The job will be retried when its lease expires.
      .catch((error: unknown) => log.warn({ err: error, queue: name }, 'the outcome of a job could not be stored'))
      .finally(() => {
        this.#running.delete(done)
        this.#pollSoon()
      })
    this.#running.add(done)
  }

  async #work(job: Job<T>): Promise<void> {
    const { db, queue, retry, run } = this.#options
    await using lease = this.#holdLease(job)
    const startedAt = performance.now()
    const record = (outcome: 'done' | 'continued' | 'failed') =>
      recordWork(queue.name, outcome, performance.now() - startedAt)
    try {
      if (job.attempts > (retry.maxAttempts ?? Infinity))
        throw new Error('the last attempt did not end, or its outcome could not be stored')
      const changes = await run(job, AbortSignal.any([this.#signal, lease.lost]))
      const isEnded = changes === 'ended'
      if (changes && !isEnded) await queue.release(db, job, { pauseMs: 0, attempts: 0, set: changes })
      else if (!isEnded) await queue.remove(db, job)
      record(changes && !isEnded ? 'continued' : 'done')
    } catch (error) {
      if (lease.lost.aborted) return
      record('failed')
      if (this.#signal.aborted) await queue.release(db, job, { pauseMs: 0, attempts: job.attempts - 1 })
      else await this.#fail(job, error)
    }
  }

  async #fail(job: Job<T>, error: unknown): Promise<void> {
    const { db, queue, retry, giveUp, onFailure } = this.#options
    const { maxAttempts = Infinity, maxAgeMs = Infinity } = retry
    const outage = await isOutage(db, error)
    const attempts = outage
      ? Math.max(job.attempts - 1, Math.min(job.attempts, maxAttempts - attemptsKeptForOutage))
      : job.attempts
    if ((!outage && attempts >= maxAttempts) || ageOf(job) >= maxAgeMs) {
      await giveUp?.(job, { error, attempts, isOutage: outage })
      await queue.remove(db, job)
      return
    }
    onFailure(job, { error, attempts, isOutage: outage })
    await queue.release(db, job, { pauseMs: backoffMs(retry, Math.max(attempts, 1)), attempts })
  }

  /**
   * Holds the lease of a job until disposed. `lost` is aborted if the job was deleted or another process claimed it.
   */
  #holdLease(job: Job<T>): AsyncDisposable & { lost: AbortSignal } {
    const { db, queue, name, leaseMs = defaultLeaseMs } = this.#options
    const lost = new AbortController()
    const renewing = periodically({
      ...{ name: `${name}: renew the lease of a job`, everyMs: leaseMs / 3, signal: lost.signal },
      run: async () => {
        if (!(await queue.renew(db, job, leaseMs))) lost.abort(new JobLost())
      },
    })
    return { lost: lost.signal, [Symbol.asyncDispose]: () => renewing[Symbol.asyncDispose]() }
  }
}

const ageOf = (job: object): number =>
  'createdAt' in job && job.createdAt instanceof Date ? Date.now() - job.createdAt.getTime() : 0
