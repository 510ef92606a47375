import { PresenceStatus } from '@parley/contracts/api'
import type { RedisClient } from '@parley/redis'
import { presenceUnavailable } from '../../metrics.ts'
import type { Announce, Hint } from './announce.ts'
import { deadlinesKey, recordKey, shardOf, shards, sweeperKey } from './keys.ts'
import * as scripts from './scripts.ts'

const leaseMs = 60_000
/** Longest pause between two sweeps. A new deadline is always a full lease away. */
const longestPauseMs = 10_000
const answerWithinMs = 250
const leaveAloneMs = 1_000
/** If more people are online, presence changes are sent only to those who share a room with the person. */
const defaultCrowd = 2_000
const countedMs = 10_000
/** During an outage shorter than this part of the lease (1/10), nobody who reports on time misses a deadline. */
const missedShare = 10
const sweepAtOnce = 500
/** After this number of sweeps another sweeper takes over entries of one that died. */
const takenAgainAfter = 5

const statuses: ReadonlyMap<string, PresenceStatus> = new Map(
  [PresenceStatus.ONLINE, PresenceStatus.AWAY, PresenceStatus.DO_NOT_DISTURB].map((status) => [`${status}`, status]),
)

/** Presence, stored only in Redis: while Redis is unavailable presence is unknown, but calls are still answered. */
export class Presence {
  readonly #redis: RedisClient
  readonly #announce: Announce
  readonly #leaseMs: number
  readonly #crowd: number
  #counted: { crowded: Promise<boolean>; until: number } | undefined
  #leaveAloneUntil = 0
  /** The first and the last failed query since the last response of Redis. */
  #away: { from: number; to: number } | undefined
  #unsureUntil = 0

  constructor(options: {
    redis: RedisClient
    announce: Announce
    leaseMs?: number | undefined
    crowd?: number | undefined
  }) {
    this.#redis = options.redis
    this.#announce = options.announce
    this.#leaseMs = options.leaseMs ?? leaseMs
    this.#crowd = options.crowd ?? defaultCrowd
    let isConnected = this.#redis.status === 'ready'
    this.#redis.on('ready', () => {
      // Redis may have restarted without its data.
      if (isConnected) this.#doubt()
      isConnected = true
    })
  }

  /**
   * Whether reports may have been lost, so that somebody may be online but unknown. True for one lease period, in which
   * every online client reports again.
   */
  get isUnsure(): boolean {
    return performance.now() < this.#unsureUntil
  }

  /** Presence of these people, undefined where unknown; in one round trip. */
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

  /** Stores a report and returns the effective status; announces a change. */
  async report(userId: string, status: PresenceStatus, chosen: boolean): Promise<PresenceStatus> {
    return (await this.#query(() => this.#take(userId, status, chosen))) ?? status
  }

  async #take(userId: string, status: PresenceStatus, chosen: boolean): Promise<PresenceStatus> {
    const manual = chosen && status !== PresenceStatus.ONLINE
    const keys = [recordKey(userId), deadlinesKey(shardOf(userId))]
    const args = [userId, status, manual ? 'm' : '', chosen ? '1' : '0', this.#leaseMs]
    const reply = await this.#redis.eval(scripts.report, keys.length, ...keys, ...args)
    const [held, changed, version] = reply as [string, number, number]
    const holds = statuses.get(held) ?? status
    // Not awaited, because the next read corrects a lost hint.
    if (changed === 1) this.#publish([{ userId, status: holds, version: BigInt(version) }]).catch(presenceUnavailable)
    return holds
  }

  /** Longest pause between two sweeps. */
  get sweepEveryMs(): number {
    return Math.min(longestPauseMs, this.#leaseMs)
  }

  /**
   * Announces people whose lease has expired, unless another process is doing so. Returns the milliseconds until the
   * next sweep, at least `everyMs`; Infinity when no lease is known to expire.
   */
  async sweep(everyMs: number): Promise<number> {
    const nextMs = await this.#query(async () => {
      const mine = await this.#redis.set(sweeperKey, '1', 'PX', Math.ceil(everyMs * 0.8), 'NX')
      if (mine === null) return everyMs
      const all = Array.from({ length: shards }, (_, shard) => this.#sweepShard(deadlinesKey(shard), everyMs))
      return Math.min(...(await Promise.all(all)))
    }, everyMs)
    return Math.max(nextMs ?? everyMs, everyMs)
  }

  async #sweepShard(key: string, everyMs: number): Promise<number> {
    for (;;) {
      const reply = await this.#redis.eval(scripts.takeLapsed, 1, key, sweepAtOnce, takenAgainAfter * everyMs)
      const [version, score, ids, nextMs] = reply as [number, number, string[], number]
      const next = nextMs < 0 ? Infinity : nextMs
      if (ids.length === 0) return next
      const lapsed = { status: PresenceStatus.OFFLINE, version: BigInt(version) }
      await this.#publish(ids.map((userId) => ({ userId, ...lapsed })))
      await this.#redis.eval(scripts.settleLapsed, 1, key, score, ...ids)
      if (ids.length < sweepAtOnce) return next
    }
  }

  async #publish(hints: readonly Hint[]): Promise<void> {
    await this.#announce(hints, await this.#isCrowded())
  }

  /** Whether many people were online a few seconds ago. */
  #isCrowded(): Promise<boolean> {
    if (!this.#counted || this.#counted.until <= Date.now())
      this.#counted = { crowded: this.#count().then((there) => there > this.#crowd), until: Date.now() + countedMs }
    return this.#counted.crowded
  }

  async #count(): Promise<number> {
    const keys = Array.from({ length: shards }, (_, shard) => deadlinesKey(shard))
    const counts = await this.#query(() => Promise.all(keys.map((key) => this.#redis.zcard(key))))
    return counts?.reduce((sum, count) => sum + count, 0) ?? 0
  }

  /** Undefined if Redis does not answer in time; then no query is sent for a moment. */
  async #query<T>(question: () => Promise<T>, withinMs = answerWithinMs): Promise<T | undefined> {
    if (Date.now() < this.#leaveAloneUntil) return undefined
    try {
      const answer = await inTime(question(), withinMs)
      if (this.#away && this.#away.to - this.#away.from > this.#leaseMs / missedShare) this.#doubt()
      this.#away = undefined
      return answer
    } catch (error) {
      this.#leaveAloneUntil = Date.now() + leaveAloneMs
      const now = performance.now()
      this.#away = { from: this.#away?.from ?? now, to: now }
      presenceUnavailable(error)
      return undefined
    }
  }

  #doubt(): void {
    this.#unsureUntil = performance.now() + this.#leaseMs
  }
}

const slices = 5

/**
 * A timeout that counts only time in which this process runs: after a stall, responses are waiting to be read, and the
 * server is not to blame.
 */
async function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const wait = (left: number) => {
      if (left === 0) reject(new Error(`no answer within ${ms} ms`))
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
