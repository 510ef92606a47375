import type { ServerResponse } from 'node:http'
import { readCookies, sessionCookieName, signSessionCookie, siteCookieName } from '@parley/credentials'
import type { BrowserSession } from '../actions/credentials/browser-session.ts'
import { csrfCookieName, issueCsrfToken } from './csrf.ts'

/** `secure`: whether browsers reach this server over https. */
type CookieOptions = { secure: boolean }

const minCsrfLifetimeSeconds = 90 * 24 * 3600

const siteAttributes = ({ secure }: CookieOptions): string => `Path=/; SameSite=Lax${secure ? '; Secure' : ''}`

export function sessionCookies(session: BrowserSession, options: { secret: string } & CookieOptions): string[] {
  const { userId, cookieHandle, lifetimeSeconds } = session
  const { secret } = options
  const common = siteAttributes(options)
  const [name, csrfName] = [sessionCookieName, csrfCookieName].map((plain) => siteCookieName(plain, options))
  // Lasts at least as long as the session, which could not even be ended without the CSRF token.
  const csrfLifetimeSeconds = Math.max(minCsrfLifetimeSeconds, lifetimeSeconds)
  return [
    `${name}=${signSessionCookie(secret, cookieHandle)}; ${common}; HttpOnly; Max-Age=${lifetimeSeconds}`,
    `${csrfName}=${issueCsrfToken(secret, userId, cookieHandle)}; ${common}; Max-Age=${csrfLifetimeSeconds}`,
  ]
}

export function cookieDeletions(options: CookieOptions): string[] {
  const names = (name: string): Set<string> => new Set([siteCookieName(name, options), name])
  const common = `${siteAttributes(options)}; Max-Age=0`
  return [
    ...[...names(sessionCookieName)].map((name) => `${name}=; ${common}; HttpOnly`),
    ...[...names(csrfCookieName)].map((name) => `${name}=; ${common}`),
  ]
}

/** Over https, accepts only the name that other hosts of the domain cannot set. */
export const readCookie = (options: CookieOptions, header: string | undefined, name: string): string | undefined =>
  readCookies(header, siteCookieName(name, options))[0]

/** HttpOnly; `maxAge` in seconds. */
export function setCookie(
  options: CookieOptions,
  response: ServerResponse,
  name: string,
  value: string,
  maxAge: number,
) {
  const common = `${siteAttributes(options)}; HttpOnly; Max-Age=${maxAge}`
  response.appendHeader('set-cookie', `${siteCookieName(name, options)}=${value}; ${common}`)
}

export const deleteCookie = (options: CookieOptions, response: ServerResponse, name: string): void =>
  setCookie(options, response, name, '', 0)
