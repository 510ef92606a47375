import { ExternalIdentityAuthService } from '@parley/contracts/auth'
import type { Reply } from '@parley/rpc'
import type { PublicMethod } from '../forward/methods.ts'

export type BrowserSession = { userId: string; cookieHandle: string; lifetimeSeconds: number }

/**
 * Response metadata in which the service `accounts` passes the handle of a new session; clients get it only as a
 * cookie.
 */
const header = 'parley-session'
const startingMethod = ExternalIdentityAuthService.method.createExternalIdentityAccount

/** Of the public methods, only the one that creates an account after a sign-in at a provider starts a session. */
export function sessionStartedBy({ method }: PublicMethod, answer: Reply): BrowserSession | undefined {
  const startsSession = method.parent.typeName === startingMethod.parent.typeName && method.name === startingMethod.name
  return startsSession ? sessionFrom(answer.headers?.get(header)) : undefined
}

/** Reads `<cookie handle> <lifetime in seconds> <user id>`. */
function sessionFrom(value: string | null | undefined): BrowserSession | undefined {
  const [, cookieHandle, lifetime, userId] = /^(\S+) (\d+) (\S+)$/.exec(value ?? '') ?? []
  if (!cookieHandle || !userId) return undefined
  return { cookieHandle, lifetimeSeconds: Number(lifetime), userId }
}
