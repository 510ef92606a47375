import { PresenceStatus } from '@parley/contracts/api'
import type { RedisClient } from '@parley/redis'
import { reportPresenceFailure } from '../../metrics.ts'
import type { Announce, Hint } from './announce.ts'
import { deadlinesKey, recordKey, shardOf, shards, sweeperKey } from './keys.ts'
import * as scripts from './scripts.ts'

const leaseMs = 60_000
const longestSweepPauseMs = 10_000
const queryTimeoutMs = 250
const pauseAfterFailureMs = 1_000
/** If more people are online, presence changes are sent only to the user's audience. */
const defaultCrowdSize = 2_000
const countTtlMs = 10_000
/**
 * After an outage of Redis longer than this part of the lease, records may have expired although their clients reported
 * on time.
 */
const harmlessOutage = 0.1
const sweepBatch = 500
/**
 * A process may die after it has taken expired users and before it has announced them. Any process can take these users
 * again after this many of the shortest pauses between sweeps.
 */
const retakeAfterPauses = 5

const statuses: ReadonlyMap<string, PresenceStatus> = new Map(
  [PresenceStatus.ONLINE, PresenceStatus.AWAY, PresenceStatus.DO_NOT_DISTURB].map((status) => [`${status}`, status]),
)

/** Stored only in Redis. While Redis is unavailable, presence is unknown, but calls succeed. */
export class Presence {
  readonly #redis: RedisClient
  readonly #announce: Announce
  readonly #leaseMs: number
  readonly #crowdSize: number
  #crowdCache: { crowded: Promise<boolean>; until: number } | undefined
  #pausedUntil = 0
  /** Times of the first and the last failed query since Redis last responded. */
  #outage: { from: number; to: number } | undefined
  #unsureUntil = 0

  constructor(options: {
    redis: RedisClient
    announce: Announce
    leaseMs?: number | undefined
    crowdSize?: number | undefined
  }) {
    this.#redis = options.redis
    this.#announce = options.announce
    this.#leaseMs = options.leaseMs ?? leaseMs
    this.#crowdSize = options.crowdSize ?? defaultCrowdSize
    let wasConnected = this.#redis.status === 'ready'
    this.#redis.on('ready', () => {
      // Redis may have restarted without its data.
      if (wasConnected) this.#markUnsure()
      wasConnected = true
    })
  }

  /**
   * Reports may have been lost, so that a user may be online without a record. True for one lease period, in which
   * every online client reports again.
   */
  get isUnsure(): boolean {
    return performance.now() < this.#unsureUntil
  }

  /** Makes one round trip. Leaves out offline users. Undefined while Redis is unavailable. */
  async of(userIds: readonly string[]): Promise<ReadonlyMap<string, PresenceStatus> | undefined> {
    if (userIds.length === 0) return new Map()
    return this.#query(async () => {
      const found = new Map<string, PresenceStatus>()
      const values = await this.#redis.mget(userIds.map(recordKey))
      for (const [n, id] of userIds.entries()) {
        const status = statuses.get(values[n]?.charAt(0) ?? '')
        if (status !== undefined) found.set(id, status)
      }
      return found
    })
  }

  /**
   * `chosen`: by the user; an automatic report does not change a chosen away or do-not-disturb. Returns the effective
   * status; `status` itself while Redis is unavailable.
   */
  async report(userId: string, status: PresenceStatus, chosen: boolean): Promise<PresenceStatus> {
    return (await this.#query(() => this.#store(userId, status, chosen))) ?? status
  }

  async #store(userId: string, status: PresenceStatus, chosen: boolean): Promise<PresenceStatus> {
    const manual = chosen && status !== PresenceStatus.ONLINE
    const keys = [recordKey(userId), deadlinesKey(shardOf(userId))]
    const args = [userId, status, manual ? 'm' : '', chosen ? '1' : '0', this.#leaseMs]
    const reply = await this.#redis.eval(scripts.report, keys.length, ...keys, ...args)
    const [stored, changed, version] = reply as [string, number, number]
    const effective = statuses.get(stored) ?? status
    // Not awaited, because the next read corrects a lost hint.
    if (changed === 1)
      this.#publish([{ userId, status: effective, version: BigInt(version) }]).catch(reportPresenceFailure)
    return effective
  }

  /** At most one lease, so that a lease that begins during the pause has not expired when the pause ends. */
  get maxSweepPauseMs(): number {
    return Math.min(longestSweepPauseMs, this.#leaseMs)
  }

  /**
   * Announces users whose lease has expired as offline. Does nothing if another process swept a moment ago.
   * Returns the milliseconds until the next sweep, at least `minPauseMs`; Infinity if there are no more leases.
   */
  async sweep(minPauseMs: number): Promise<number> {
    const nextMs = await this.#query(async () => {
      const isSweeper = await this.#redis.set(sweeperKey, '1', 'PX', Math.ceil(minPauseMs * 0.8), 'NX')
      if (isSweeper === null) return minPauseMs
      const all = Array.from({ length: shards }, (_, shard) => this.#sweepShard(deadlinesKey(shard), minPauseMs))
      return Math.min(...(await Promise.all(all)))
    }, minPauseMs)
    return Math.max(nextMs ?? minPauseMs, minPauseMs)
  }

  async #sweepShard(key: string, minPauseMs: number): Promise<number> {
    for (;;) {
      const reply = await this.#redis.eval(scripts.takeExpired, 1, key, sweepBatch, retakeAfterPauses * minPauseMs)
      const [version, score, ids, nextMs] = reply as [number, number, string[], number]
      const next = nextMs < 0 ? Infinity : nextMs
      if (ids.length === 0) return next
      const expired = { status: PresenceStatus.OFFLINE, version: BigInt(version) }
      await this.#publish(ids.map((userId) => ({ userId, ...expired })))
      await this.#redis.eval(scripts.removeExpired, 1, key, score, ...ids)
      if (ids.length < sweepBatch) return next
    }
  }

  async #publish(hints: readonly Hint[]): Promise<void> {
    await this.#announce(hints, await this.#isCrowded())
  }

  /** Cached for ten seconds. False if Redis does not respond. */
  #isCrowded(): Promise<boolean> {
    if (!this.#crowdCache || this.#crowdCache.until <= Date.now())
      this.#crowdCache = {
        crowded: this.#count().then((online) => online > this.#crowdSize),
        until: Date.now() + countTtlMs,
      }
    return this.#crowdCache.crowded
  }

  async #count(): Promise<number> {
    const keys = Array.from({ length: shards }, (_, shard) => deadlinesKey(shard))
    const counts = await this.#query(() => Promise.all(keys.map((key) => this.#redis.zcard(key))))
    return counts?.reduce((sum, count) => sum + count, 0) ?? 0
  }

  /** Undefined if the query fails or takes too long, and for a second after that, in which no query is sent. */
  async #query<T>(query: () => Promise<T>, limitMs = queryTimeoutMs): Promise<T | undefined> {
    if (Date.now() < this.#pausedUntil) return undefined
    try {
      const answer = await withTimeout(query(), limitMs)
      if (this.#outage && this.#outage.to - this.#outage.from > this.#leaseMs * harmlessOutage) this.#markUnsure()
      this.#outage = undefined
      return answer
    } catch (error) {
      this.#pausedUntil = Date.now() + pauseAfterFailureMs
      const now = performance.now()
      this.#outage = { from: this.#outage?.from ?? now, to: now }
      reportPresenceFailure(error)
      return undefined
    }
  }

  #markUnsure(): void {
    this.#unsureUntil = performance.now() + this.#leaseMs
  }
}

const slices = 5

/**
 * Counts only time in which this process runs: after a stall of the process, the response may be waiting to be read.
 */
async function withTimeout<T>(answer: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const wait = (left: number) => {
      if (left === 0) reject(new Error(`no response within ${ms} ms`))
      else timer = setTimeout(() => wait(left - 1), ms / slices)
    }
    wait(slices)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
