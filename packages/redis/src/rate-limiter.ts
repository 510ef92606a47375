import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Redis } from 'ioredis'
import { rateLimitPrefix } from './keys.ts'

/** A limit: `points` per id in a window that starts with the id's first point. */
export type RateLimit = {
  redis: Redis
  /** Limits with the same key share their counts. */
  key: string
  points: number
  durationSeconds: number
}

/** Whether a point was left; `retryAfterMs` is 0 if so. */
export type Allowance = { allowed: boolean; retryAfterMs: number }

export type RateLimiter = {
  /** Takes one point of this id. Never rejects. */
  consume(id: string): Promise<Allowance>
  /** Whether {@link RateLimiter.consume} would take a point now. Takes none. Never rejects. */
  check(id: string): Promise<Allowance>
  /** Returns a point that {@link RateLimiter.consume} took. Never rejects. */
  refund(id: string): Promise<void>
  /**
   * Number of calls of {@link RateLimiter.consume} for this id in its window, including refused ones, minus refunds.
   * Never rejects.
   */
  spent(id: string): Promise<number>
}

const allowed: Allowance = { allowed: true, retryAfterMs: 0 }
const refuse = ({ msBeforeNext }: RateLimiterRes): Allowance => ({
  allowed: false,
  retryAfterMs: Math.max(1, msBeforeNext),
})

/** A rate limit that all processes share; while Redis is unavailable, each process counts on its own. */
export function rateLimiter({ redis, key, points, durationSeconds }: RateLimit): RateLimiter {
  const window = { keyPrefix: rateLimitPrefix(key), points, duration: durationSeconds }
  const limiter = new RateLimiterRedis({
    ...window,
    storeClient: redis,
    insuranceLimiter: new RateLimiterMemory(window),
    rejectIfRedisNotReady: true,
  })
  return {
    async consume(id) {
      try {
        await limiter.consume(id)
        return allowed
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal
        return refuse(refusal)
      }
    },
    async check(id) {
      const spent = await limiter.get(id)
      return spent && spent.remainingPoints <= 0 ? refuse(spent) : allowed
    },
    async refund(id) {
      await limiter.reward(id)
    },
    async spent(id) {
      return (await limiter.get(id))?.consumedPoints ?? 0
    },
  }
}
