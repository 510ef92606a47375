import { Code, ConnectError } from '@connectrpc/connect'
import type { CallerCache, KnownCaller } from './caller-cache.ts'
import type { Presented } from './presented.ts'

export type SignedIn = KnownCaller & { by: 'bearer' | 'cookie'; digest: Buffer }

const order = ['bearer', 'cookie'] as const

/** Whether this process remembers one of these credentials as valid. */
export const isRemembered = (cache: CallerCache, presented: Presented): boolean =>
  order.some((by) => presented[by] !== undefined && cache.wasValid(presented[by]))

/**
 * Tries the bearer token first, then the cookie. Returns undefined if neither is valid; throws `unavailable` if
 * the call of the service `accounts` fails.
 */
export async function authenticate(cache: CallerCache, presented: Presented): Promise<SignedIn | undefined> {
  try {
    for (const by of order) {
      const digests = presented[by]
      const found = digests && (await cache.findByCurrentOrPrevious(digests))
      if (found) return { ...found, by }
    }
    return undefined
  } catch (error) {
    throw authenticationUnavailable(error)
  }
}

const authenticationUnavailable = (cause: unknown) =>
  new ConnectError(
    'the credential cannot be checked at the moment; try again',
    Code.Unavailable,
    undefined,
    undefined,
    cause,
  )
