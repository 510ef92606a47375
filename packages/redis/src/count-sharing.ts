import type { Redis } from 'ioredis'
import { logger, withoutTrace } from '@parley/telemetry'
import { rateLimitPrefix } from './keys.ts'

/** `shared`: last known total of all processes; `local`: the count that this process has added since. */
export type Count = { window: number; shared: number; local: number }

type Options = {
  /** Without a client nothing is shared. */
  redis?: Redis | undefined
  key: string
  windowMs: number
  flushEveryMs?: number
}

const maxPerPipeline = 1_000

/** Periodically adds the counts of this process to the shared totals and reads the totals. */
export class CountSharing implements AsyncDisposable {
  readonly #options: Options
  readonly #dropOutdated: () => void
  readonly #log = logger('redis')
  readonly #unshared = new Map<string, Count>()
  #flushing = Promise.resolve()
  // Set only while there are counts to share, so that an idle process is not woken.
  #timer: NodeJS.Timeout | undefined

  /** `dropOutdated` is called before a flush, and must call {@link clear} if the window of the counts has ended. */
  constructor(options: Options, dropOutdated: () => void) {
    this.#options = options
    this.#dropOutdated = dropOutdated
  }

  /** Adds a count to those of the next flush. */
  add(id: string, count: Count): void {
    const { redis, flushEveryMs = 1_000 } = this.#options
    if (!redis) return
    this.#unshared.set(id, count)
    // A flush serves many requests, so it belongs to none of their traces.
    this.#timer ??= withoutTrace(() => setTimeout(() => this.#beginFlush(redis), flushEveryMs).unref())
  }

  #beginFlush(redis: Redis): void {
    this.#timer = undefined
    this.#flushing = this.#flushing
      .then(() => this.#flush(redis))
      .catch((error: unknown) => this.#log.debug({ err: error, key: this.#options.key }, 'counts were not shared'))
  }

  clear(): void {
    this.#unshared.clear()
  }

  async #flush(redis: Redis): Promise<void> {
    this.#dropOutdated()
    if (redis.status !== 'ready') return
    const batch = [...this.#unshared]
    this.#unshared.clear()
    for (let at = 0; at < batch.length; at += maxPerPipeline)
      await this.#share(redis, batch.slice(at, at + maxPerPipeline))
  }

  async #share(redis: Redis, batch: [string, Count][]): Promise<void> {
    const { key, windowMs } = this.#options
    const pipeline = redis.pipeline()
    for (const [id, count] of batch) {
      const name = `${rateLimitPrefix(key)}:${count.window}:${id}`
      pipeline.incrby(name, count.local).pexpire(name, 2 * windowMs)
      count.shared += count.local
      count.local = 0
    }
    const answers = await pipeline.exec()
    batch.forEach(([, count], index) => {
      const [error, total] = answers?.[2 * index] ?? []
      if (!error && typeof total === 'number') count.shared = Math.max(count.shared, total)
    })
  }

  /** Waits for a running flush; drops counts that are not shared yet. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer)
    await this.#flushing
  }
}
