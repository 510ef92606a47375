import { rateLimiter, type RedisClient } from '@parley/redis'
import type { Config } from '../../config.ts'
import { signInAttempts } from './attempts.ts'

type Settings = Pick<
  Config,
  | 'signInWindowMs'
  | 'signInAttempts'
  | 'signInAttemptsPerAddress'
  | 'signInSlowAfter'
  | 'mailsPerAddress'
  | 'providerSignInsPerAddress'
>

/** The limits of sign-in, counted in Redis for all gateways together. */
export function signInLimits(redis: RedisClient, settings: Settings) {
  const durationSeconds = Math.ceil(settings.signInWindowMs / 1_000)
  const limit = (key: string, points: number) => rateLimiter({ redis, key, points, durationSeconds })
  return {
    attempts: signInAttempts({
      perAccountAndAddress: limit('sign-in:account-address', settings.signInAttempts),
      perAddress: limit('sign-in:address', settings.signInAttemptsPerAddress),
      perAccount: limit('sign-in:account', Number.MAX_SAFE_INTEGER),
      slowAfter: settings.signInSlowAfter,
    }),
    mails: limit('sign-in:mails', settings.mailsPerAddress),
    providerSignIns: limit('sign-in:providers', settings.providerSignInsPerAddress),
  }
}
