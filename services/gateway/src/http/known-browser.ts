import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cookieSecrets, type CredentialSecrets } from '@parley/credentials'
import type { AuthContext } from './auth/context.ts'
import { keepCookie, readKept } from './cookies.ts'

const name = 'parley_known'
/** Maximum lifetime that browsers allow for a cookie. */
const lifetimeSeconds = 400 * 24 * 3600
/** Maximum number of names per browser; those of the most recent sign-ins are kept. */
const maxNames = 6

type Context = CredentialSecrets & Pick<AuthContext, 'secure'>
/** A browser and the names with which it signed in, each as a mark that only this server can create. */
type Known = { id: string; marks: string[] }

/**
 * Identifies a browser that signed in with this login or address before; undefined for others. It grants no access, and
 * only selects the limit against which failures count.
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
