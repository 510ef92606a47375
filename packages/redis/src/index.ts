export { eagerLimiter, type EagerLimit, type EagerLimiter } from './eager-limiter.ts'
export { openRedis, type RedisClient } from './client.ts'
export { rateLimitPrefix } from './keys.ts'
export { rateLimiter, type RateLimit, type Allowance, type RateLimiter } from './rate-limiter.ts'
export {
  NetworkCounts,
  networkLimiter,
  networksOf,
  takeFromNetworks,
  waitMsOfNetworks,
  type Network,
  type NetworkLimiter,
} from './networks.ts'
export { openCredentialAttempts, type CredentialAttempts } from './credential-attempts.ts'
