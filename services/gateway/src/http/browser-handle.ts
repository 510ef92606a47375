import type { IncomingMessage, ServerResponse } from 'node:http'
import { newHandle } from '@parley/ids'
import { setCookie, readCookie } from './cookies.ts'

const name = 'parley_browser'
const lifetimeSeconds = 15 * 60

type CookieOptions = { secure: boolean }

/** The handle proves that a sign-in at a provider ends in the browser where it began. */
export function browserHandle(options: CookieOptions, request: IncomingMessage): string | undefined {
  const value = readCookie(options, request.headers.cookie, name)
  return value !== undefined && /^[0-9A-Za-z]{43}$/.test(value) ? value : undefined
}

/** Lasts 15 minutes from now; all tabs share it. */
export function ensureBrowserHandle(
  options: CookieOptions,
  request: IncomingMessage,
  response: ServerResponse,
): string {
  const handle = browserHandle(options, request) ?? newHandle()
  setCookie(options, response, name, handle, lifetimeSeconds)
  return handle
}
