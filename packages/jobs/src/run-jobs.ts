import type { InferInsertModel } from 'drizzle-orm'
import { isOutage, type Db } from '@parley/postgres'
import { backoffMs, periodically, type Backoff, type Periodic } from '@parley/runtime'
import { logger } from '@parley/telemetry'
import type { Job, JobQueue, JobTable } from './job-queue.ts'
import { jobWorked } from './metrics.ts'

const log = logger('jobs')
const defaultLeaseMs = 15_000
const shortestPauseMs = 50
const afterFailureMs = 1_000
/** Attempts that an outage always leaves to a job. */
const leftByOutage = 3

/** When a failed job is retried. */
export type RetryPolicy = Backoff & {
  /**
   * Attempts after which a job is given up, including those interrupted by the death of the process. Default:
   * unlimited.
   */
  maxAttempts?: number
  /** Age at which a job that failed is given up; default: never. Requires a column `createdAt`. */
  maxAgeMs?: number
}

/** The reason of a signal: another process has claimed the job, or it is gone. */
export class JobLost extends Error {
  constructor() {
    super('the job is lost to another process, or gone')
  }
}

/** Why a job did not get on. */
export type JobFailure = {
  error: unknown
  attempts: number
  /** Another service or the database is away: that says nothing about the job. */
  isOutage: boolean
}

export type JobRunnerOptions<T extends JobTable> = {
  /** Name for the log. */
  name: string
  db: Db
  queue: JobQueue<T>
  /** Jobs that a process works on at the same time; default: 1. */
  atOnce?: number
  /** Duration of a lease. The worker renews it three times as often; default: 15 s. */
  leaseMs?: number
  /**
   * Longest pause before looking for jobs that other processes wrote or left behind. Jobs of this process start at
   * once.
   */
  everyMs: number
  retry: RetryPolicy
  signal: AbortSignal
  /**
   * Does a job. Its signal fires when the process ends, or with a `JobLost`. Returns nothing if the job is done, and
   * the job is deleted; `ended` if the function has ended the job itself; otherwise the changes of its row: the job
   * moves behind the others, and its failures are reset. A job may run twice if its process was considered dead.
   */
  run: (job: Job<T>, signal: AbortSignal) => Promise<Partial<InferInsertModel<T>> | 'ended' | void>
  /** Called when a job has failed and will be retried. */
  onFailure: (job: Job<T>, failure: JobFailure) => void
  /** Parks a job, or ends it in another way, if the queue still holds it; it is deleted afterwards. Default: only that. */
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
  readonly #underWay = new Set<Promise<void>>()
  /** Whether a job was written or has ended since the last look. */
  #isNoticed = true

  constructor(options: JobRunnerOptions<T>) {
    const { db, name, everyMs, queue } = options
    this.#options = options
    const signal = (this.#signal = AbortSignal.any([options.signal, this.#stop.signal]))
    this.#polling = periodically({ name, everyMs, afterFailureMs, signal, run: () => this.#begin() })
    this.#listening = queue.listen(db, () => this.#look())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening[Symbol.dispose]()
    this.#stop.abort()
    await this.#polling[Symbol.asyncDispose]()
    await Promise.all(this.#underWay)
  }

  /** Starts as many jobs as there are free slots. Returns the milliseconds until the next one is due. */
  async #begin(): Promise<number | void> {
    const { db, queue, atOnce = 1, leaseMs = defaultLeaseMs } = this.#options
    const free = atOnce - this.#underWay.size
    // The next job that ends looks again.
    if (free <= 0 || this.#signal.aborted) return
    if (!this.#isNoticed) {
      // Usually there is none, which takes one statement.
      const nextMs = await this.#nextMs()
      if (nextMs > 0) return Math.max(nextMs, shortestPauseMs)
    }
    this.#isNoticed = false
    const jobs = await queue.claim(db, { leaseMs, limit: free })
    for (const job of jobs) this.#start(job)
    if (jobs.length < free) return Math.max(await this.#nextMs(), shortestPauseMs)
  }

  /** Milliseconds until the next job may be claimed; Infinity when there is none. */
  async #nextMs(): Promise<number> {
    return (await this.#options.queue.nextMs(this.#options.db)) ?? Infinity
  }

  #look(): void {
    this.#isNoticed = true
    this.#polling.wake()
  }

  #start(job: Job<T>): void {
    const { name } = this.#options
    const done = this.#work(job)
      // Its lease expires and it will be retried.
      .catch((error: unknown) => log.warn({ err: error, queue: name }, 'the outcome of a job could not be stored'))
      .finally(() => {
        this.#underWay.delete(done)
        this.#look()
      })
    this.#underWay.add(done)
  }

  async #work(job: Job<T>): Promise<void> {
    const { db, queue, retry, run } = this.#options
    await using lease = this.#keep(job)
    const began = performance.now()
    const worked = (outcome: 'done' | 'continued' | 'failed') =>
      jobWorked(queue.name, outcome, performance.now() - began)
    try {
      if (job.attempts > (retry.maxAttempts ?? Infinity)) throw new Error('the processes that worked on it ended')
      const more = await run(job, AbortSignal.any([this.#signal, lease.lost]))
      const isOver = more === 'ended'
      if (more && !isOver) await queue.release(db, job, { pauseMs: 0, attempts: 0, set: more })
      else if (!isOver) await queue.remove(db, job)
      worked(more && !isOver ? 'continued' : 'done')
    } catch (error) {
      if (lease.lost.aborted) return
      worked('failed')
      if (this.#signal.aborted) await queue.release(db, job, { pauseMs: 0, attempts: job.attempts - 1 })
      else await this.#fail(job, error)
    }
  }

  async #fail(job: Job<T>, error: unknown): Promise<void> {
    const { db, queue, retry, giveUp, onFailure } = this.#options
    const { maxAttempts = Infinity, maxAgeMs = Infinity } = retry
    const outage = await isOutage(db, error)
    const attempts = outage
      ? Math.max(job.attempts - 1, Math.min(job.attempts, maxAttempts - leftByOutage))
      : job.attempts
    if ((!outage && attempts >= maxAttempts) || ageOf(job) >= maxAgeMs) {
      await giveUp?.(job, { error, attempts, isOutage: outage })
      await queue.remove(db, job)
      return
    }
    onFailure(job, { error, attempts, isOutage: outage })
    await queue.release(db, job, { pauseMs: backoffMs(retry, Math.max(attempts, 1)), attempts })
  }

  /** Holds the lease of a job until disposed. `lost` fires if the job was deleted or another process claimed it. */
  #keep(job: Job<T>): AsyncDisposable & { lost: AbortSignal } {
    const { db, queue, name, leaseMs = defaultLeaseMs } = this.#options
    const lost = new AbortController()
    const keeping = periodically({
      ...{ name: `${name}: keep a job`, everyMs: leaseMs / 3, signal: lost.signal },
      run: async () => {
        if (!(await queue.renew(db, job, leaseMs))) lost.abort(new JobLost())
      },
    })
    return { lost: lost.signal, [Symbol.asyncDispose]: () => keeping[Symbol.asyncDispose]() }
  }
}

const ageOf = (job: object): number =>
  'createdAt' in job && job.createdAt instanceof Date ? Date.now() - job.createdAt.getTime() : 0
