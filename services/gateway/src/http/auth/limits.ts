import { networkLimiter, rateLimiter, type RedisClient } from '@parley/redis'
import type { Config } from '../../config.ts'
import { createSignInAttempts } from './attempts.ts'

type Settings = Pick<
  Config,
  | 'signInWindowMs'
  | 'signInAttempts'
  | 'signInAttemptsPerAddress'
  | 'signInSlowAfter'
  | 'mailsPerAddress'
  | 'providerSignInsPerAddress'
>

/**
 * As long as the timeout of a call to the service `accounts`, so that attempts above the limit per account do not
 * overlap.
 */
const turnSeconds = 5
/** Number of known browsers of one account that can use up their limits. */
const maxKnownBrowsers = 10

export function openSignInLimits(redis: RedisClient, settings: Settings) {
  const durationSeconds = Math.ceil(settings.signInWindowMs / 1_000)
  const limit = (key: string, points: number) => rateLimiter({ redis, key, points, durationSeconds })
  const networks = (key: string, points: number) => networkLimiter({ redis, key, points, durationSeconds })
  return {
    attempts: createSignInAttempts({
      perAccountAndAddress: networks('sign-in:account-address', settings.signInAttempts),
      perAddress: networks('sign-in:address', settings.signInAttemptsPerAddress),
      perAccount: limit('sign-in:account', settings.signInSlowAfter),
      turn: rateLimiter({ redis, key: 'sign-in:turn', points: 1, durationSeconds: turnSeconds }),
      perKnownBrowser: limit('sign-in:known-browser', settings.signInAttempts),
      knownPerAccount: limit('sign-in:known-account', maxKnownBrowsers * settings.signInAttempts),
    }),
    mails: networks('sign-in:mails', settings.mailsPerAddress),
    providerSignIns: networks('sign-in:providers', settings.providerSignInsPerAddress),
  }
}
