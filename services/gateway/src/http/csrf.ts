import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readSiteCookies } from '@parley/credentials'

/** Scripts copy this cookie to the header `X-CSRF-Token`. */
export const csrfCookieName = 'parley_csrf'

export const readCsrfCookies = (header: string | undefined): string[] => readSiteCookies(header, csrfCookieName)

const mac = (secret: string, nonce: string, userId: string, sessionHandle: string): string =>
  createHmac('sha256', secret).update(`csrf\0${nonce}\0${userId}\0${sessionHandle}`).digest('base64url')

export function issueCsrfToken(secret: string, userId: string, sessionHandle: string): string {
  const nonce = randomBytes(32).toString('base64url')
  return `${nonce}.${mac(secret, nonce, userId, sessionHandle)}`
}

/** Whether the header contains a token of this session that is also in a cookie. */
export function isCsrfTokenValid(
  secret: string,
  request: { header: string | undefined; cookies: readonly string[] },
  userId: string,
  sessionHandle: string,
): boolean {
  const { header, cookies } = request
  if (!header || !cookies.some((cookie) => equal(header, cookie))) return false
  const [nonce = '', signature = ''] = header.split('.', 2)
  return equal(signature, mac(secret, nonce, userId, sessionHandle))
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
