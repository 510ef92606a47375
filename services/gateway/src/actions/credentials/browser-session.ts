import { ExternalIdentityAuthService } from '@parley/contracts/auth'
import type { Reply } from '@parley/rpc'
import type { PublicMethod } from '../forward/methods.ts'

/** The data of a session cookie. */
export type BrowserSession = { userId: string; cookieHandle: string; lifetimeSeconds: number }

/** Response metadata in which accounts passes the handle of a new session; clients get it only as a cookie. */
const header = 'parley-session'
const beginner = ExternalIdentityAuthService.method.createExternalIdentityAccount

/** The session that the response of a forwarded call starts. */
export function sessionBegunBy({ method }: PublicMethod, answer: Reply): BrowserSession | undefined {
  const begins = method.parent.typeName === beginner.parent.typeName && method.name === beginner.name
  return begins ? sessionFrom(answer.headers?.get(header)) : undefined
}

/** Reads `<cookie handle> <lifetime in seconds> <user id>`. */
function sessionFrom(value: string | null | undefined): BrowserSession | undefined {
  const [, cookieHandle, lifetime, userId] = /^(\S+) (\d+) (\S+)$/.exec(value ?? '') ?? []
  if (!cookieHandle || !userId) return undefined
  return { cookieHandle, lifetimeSeconds: Number(lifetime), userId }
}
