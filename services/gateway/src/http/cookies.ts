import { sessionCookieName, signSessionCookie } from '@parley/auth'
import { csrfCookieName, issueCsrfToken } from './csrf.ts'

type Options = { secret: string; secure: boolean }
type Session = { userId: string; cookieHandle: string; lifetimeSeconds: number }

const csrfLifetimeSeconds = 90 * 24 * 3600

/** `Set-Cookie` values that begin a browser session. */
export function sessionCookies(session: Session, { secret, secure }: Options): string[] {
  const { userId, cookieHandle, lifetimeSeconds } = session
  const common = `Path=/; SameSite=Lax${secure ? '; Secure' : ''}`
  return [
    `${sessionCookieName}=${signSessionCookie(secret, cookieHandle)}; ${common}; HttpOnly; Max-Age=${lifetimeSeconds}`,
    `${csrfCookieName}=${issueCsrfToken(secret, userId, cookieHandle)}; ${common}; Max-Age=${csrfLifetimeSeconds}`,
  ]
}

/** `Set-Cookie` values that end it. */
export function clearedCookies(secure: boolean): string[] {
  const common = `Path=/; SameSite=Lax${secure ? '; Secure' : ''}; Max-Age=0`
  return [`${sessionCookieName}=; ${common}; HttpOnly`, `${csrfCookieName}=; ${common}`]
}

/** The value of a cookie in a `Cookie` header. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const trimmed = pair.trim()
    if (trimmed.startsWith(`${name}=`)) return trimmed.slice(name.length + 1)
  }
  return undefined
}
