import type { ServerResponse } from 'node:http'
import { sessionCookieName, signSessionCookie } from '@parley/auth'
import type { BrowserSession } from '../credentials/browser-session.ts'
import { csrfCookieName, issueCsrfToken } from './csrf.ts'

type Options = { secret: string; secure: boolean }

const csrfLifetimeSeconds = 90 * 24 * 3600

/** `Set-Cookie` values that begin a browser session. */
export function sessionCookies(session: BrowserSession, { secret, secure }: Options): string[] {
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

type Cookies = { secure: boolean }

/** Name of a cookie of this site alone: over https no other host of the domain can set or change it. */
export const cookieName = ({ secure }: Cookies, name: string): string => (secure ? `__Host-${name}` : name)

/** Keeps a short-lived value out of reach of scripts in the browser. */
export function keepCookie(cookies: Cookies, response: ServerResponse, name: string, value: string, maxAge: number) {
  const common = `Path=/; SameSite=Lax${cookies.secure ? '; Secure' : ''}; HttpOnly; Max-Age=${maxAge}`
  response.appendHeader('set-cookie', `${cookieName(cookies, name)}=${value}; ${common}`)
}

export const dropCookie = (cookies: Cookies, response: ServerResponse, name: string): void =>
  keepCookie(cookies, response, name, '', 0)
