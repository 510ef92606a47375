import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cookieSecrets, type CredentialSecrets } from '@parley/credentials'
import type { AuthContext } from './auth/context.ts'
import { keepCookie, readKept } from './cookies.ts'

const name = 'parley_known'
/** The longest that browsers keep a cookie. */
const lifetimeSeconds = 400 * 24 * 3600
/** Number of names kept per browser; the most recent sign-ins stay. */
const maxNames = 6

type Context = CredentialSecrets & Pick<AuthContext, 'secure'>
/** A browser and the names it signed in with, each as a mark that only this server can make. */
type Known = { id: string; marks: string[] }

/**
 * The name under which a browser is known that signed in with this login or address before; undefined for any other. It
 * lets nobody in: it says whose failures a sign-in is counted with.
 */
export function knownBrowser(context: Context, request: IncomingMessage, identifier: string): string | undefined {
  const known = readKnown(context, request)
  if (!known) return undefined
  const isMarked = cookieSecrets(context).some((secret) => known.marks.includes(markOf(secret, known.id, identifier)))
  return isMarked ? known.id : undefined
}

/** Remembers the browser for the sign-in names of a user who has just proved to own them. */
export function rememberBrowser(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
  identifiers: readonly string[],
): void {
  if (identifiers.length === 0) return
  const known = readKnown(context, request)
  const id = known?.id ?? randomBytes(16).toString('base64url')
  const fresh = identifiers.map((identifier) => markOf(context.cookieSigningSecret, id, identifier))
  const marks = [...new Set([...fresh, ...(known?.marks ?? [])])].slice(0, maxNames)
  keepCookie(context, response, name, [id, ...marks].join('.'), lifetimeSeconds)
}

function readKnown(context: Context, request: IncomingMessage): Known | undefined {
  const value = readKept(context, request.headers.cookie, name) ?? ''
  if (!/^[\w-]{22}(\.[\w-]{22}){1,6}$/.test(value)) return undefined
  const [id = '', ...marks] = value.split('.')
  return { id, marks }
}

const markOf = (secret: string, id: string, identifier: string): string =>
  createHmac('sha256', secret)
    .update(`known-browser\0${id}\0${identifier.trim().toLowerCase()}`)
    .digest('base64url')
    .slice(0, 22)
