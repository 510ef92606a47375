import { ExternalIdentityAuthService } from '@parley/contracts/auth'
import type { Reply } from '@parley/rpc'
import type { PublicMethod } from '../forward/methods.ts'

/** What a session cookie is made of. */
export type BrowserSession = { userId: string; cookieHandle: string; lifetimeSeconds: number }

/** Beside its answer accounts tells the handle of the session it began; clients see it as a cookie and no other way. */
const header = 'parley-session'
const beginner = ExternalIdentityAuthService.method.createExternalIdentityAccount

/** The session that the answer of a forwarded call begins. */
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
