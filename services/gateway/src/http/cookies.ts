import type { ServerResponse } from 'node:http'
import { readCookies, sessionCookieName, signSessionCookie, siteCookieName } from '@parley/credentials'
import type { BrowserSession } from '../actions/credentials/browser-session.ts'
import { csrfCookieName, issueCsrfToken } from './csrf.ts'

/** Whether browsers reach this server over https. */
type Cookies = { secure: boolean }

const csrfLifetimeSeconds = 90 * 24 * 3600

const ofSite = ({ secure }: Cookies): string => `Path=/; SameSite=Lax${secure ? '; Secure' : ''}`

/** `Set-Cookie` values that start a browser session. */
export function sessionCookies(session: BrowserSession, options: { secret: string } & Cookies): string[] {
  const { userId, cookieHandle, lifetimeSeconds } = session
  const { secret } = options
  const common = ofSite(options)
  const [name, csrfName] = [sessionCookieName, csrfCookieName].map((plain) => siteCookieName(plain, options))
  return [
    `${name}=${signSessionCookie(secret, cookieHandle)}; ${common}; HttpOnly; Max-Age=${lifetimeSeconds}`,
    `${csrfName}=${issueCsrfToken(secret, userId, cookieHandle)}; ${common}; Max-Age=${csrfLifetimeSeconds}`,
  ]
}

/** `Set-Cookie` values that delete the session and CSRF cookies, under their names over https and over http. */
export function clearedCookies(cookies: Cookies): string[] {
  const names = (name: string): Set<string> => new Set([siteCookieName(name, cookies), name])
  const common = `${ofSite(cookies)}; Max-Age=0`
  return [
    ...[...names(sessionCookieName)].map((name) => `${name}=; ${common}; HttpOnly`),
    ...[...names(csrfCookieName)].map((name) => `${name}=; ${common}`),
  ]
}

/** Reads a cookie of {@link setCookie}. Over https, accepts only the name that other hosts of the domain cannot set. */
export const readCookie = (cookies: Cookies, header: string | undefined, name: string): string | undefined =>
  readCookies(header, siteCookieName(name, cookies))[0]

/** Sets a cookie that scripts cannot read; `maxAge` in seconds. */
export function setCookie(cookies: Cookies, response: ServerResponse, name: string, value: string, maxAge: number) {
  const common = `${ofSite(cookies)}; HttpOnly; Max-Age=${maxAge}`
  response.appendHeader('set-cookie', `${siteCookieName(name, cookies)}=${value}; ${common}`)
}

export const deleteCookie = (cookies: Cookies, response: ServerResponse, name: string): void =>
  setCookie(cookies, response, name, '', 0)
