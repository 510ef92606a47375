import { authenticationUnavailable } from '../errors.ts'
import type { CallerCache, KnownCaller } from './caller-cache.ts'
import type { Presented } from './presented.ts'

/** Who calls: the bearer token is tried first, an invalid one falls back to the cookie. Throws `unavailable` when neither can be checked. */
export async function authenticate(cache: CallerCache, presented: Presented): Promise<KnownCaller | undefined> {
  try {
    return (
      (presented.bearer && (await cache.find(presented.bearer))) ??
      (presented.cookie && (await cache.find(presented.cookie)))
    )
  } catch (error) {
    throw authenticationUnavailable(error)
  }
}
