import type { IncomingMessage, ServerResponse } from 'node:http'
import { newHandle } from '@parley/ids'
import { keepCookie, readKept } from './cookies.ts'

const name = 'parley_browser'
const lifetimeSeconds = 15 * 60

type Cookies = { secure: boolean }

/** The random handle of this browser. A sign-in at a provider must end in the browser where it began. */
export function browserHandle(cookies: Cookies, request: IncomingMessage): string | undefined {
  const value = readKept(cookies, request.headers.cookie, name)
  return value !== undefined && /^[0-9A-Za-z]{43}$/.test(value) ? value : undefined
}

/** Returns the browser's handle, or creates one; it lasts 15 minutes from now and is shared by tabs. */
export function keptBrowserHandle(cookies: Cookies, request: IncomingMessage, response: ServerResponse): string {
  const handle = browserHandle(cookies, request) ?? newHandle()
  keepCookie(cookies, response, name, handle, lifetimeSeconds)
  return handle
}
