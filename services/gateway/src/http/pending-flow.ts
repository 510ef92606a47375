import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setCookie, readCookie } from './cookies.ts'

const cookieName = 'parley_flow'
const lifetimeSeconds = 15 * 60

type CookieOptions = { secure: boolean }

const digest = (token: string): string => createHash('sha256').update(token).digest('base64url')

export const storePendingFlow = (options: CookieOptions, response: ServerResponse, token: string): void =>
  setCookie(options, response, cookieName, digest(token), lifetimeSeconds)

/**
 * Whether this browser began the flow: a link to somebody else's flow would sign the user in to that person's account.
 */
export function isPendingFlow(options: CookieOptions, request: IncomingMessage, token: string): boolean {
  const [kept, expected] = [readCookie(options, request.headers.cookie, cookieName) ?? '', digest(token)]
  return kept.length === expected.length && timingSafeEqual(Buffer.from(kept), Buffer.from(expected))
}
