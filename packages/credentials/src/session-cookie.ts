import { createHmac, timingSafeEqual } from 'node:crypto'
import { readCookies, siteCookieName } from './site-cookie.ts'

/** Over https the name has the prefix `__Host-`: see `siteCookieName`. */
export const sessionCookieName = 'parley_session'

const hostHandlePrefix = 'host~'

/**
 * The handle of a session that begins over https. It is accepted only in the cookie that no other host of the domain
 * can set; otherwise such a host could plant another person's session under the plain name.
 */
export const hostHandle = (handle: string): string => hostHandlePrefix + handle

const signature = (secret: string, handle: string): Buffer =>
  createHmac('sha256', secret).update('session-cookie\0').update(handle).digest()

/** The opaque handle and its signature, in characters that a cookie may contain. */
export function signSessionCookie(secret: string, handle: string): string {
  return `${handle}.${signature(secret, handle).toString('base64url')}`
}

/**
 * The handle in the session cookie of a `Cookie` header; undefined if there is none or no secret verifies it. If there
 * are several, the first with a valid signature is used, and those that only this site can set come first. Cookies with
 * the plain name are from sessions that began over http, or over https before handles distinguished the two.
 */
export function verifySessionCookie(secrets: readonly string[], cookieHeader: string | undefined): string | undefined {
  const ofThisHost = readCookies(cookieHeader, siteCookieName(sessionCookieName, { secure: true }))
  const plain = readCookies(cookieHeader, sessionCookieName).filter((value) => !value.startsWith(hostHandlePrefix))
  for (const value of [...ofThisHost, ...plain]) {
    const dot = value.lastIndexOf('.')
    const handle = value.slice(0, Math.max(dot, 0))
    const given = Buffer.from(value.slice(dot + 1), 'base64url')
    const isOurs = secrets.map((secret) => signature(secret, handle)).some((expected) => isSame(given, expected))
    if (handle !== '' && isOurs) return handle
  }
  return undefined
}

const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)
