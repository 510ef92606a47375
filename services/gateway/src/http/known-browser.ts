import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cookieSecrets, type CredentialSecrets } from '@parley/credentials'
import type { AuthContext } from './auth/context.ts'
import { setCookie, readCookie } from './cookies.ts'

const name = 'parley_known'
/** The longest that browsers allow. */
const lifetimeSeconds = 400 * 24 * 3600
/** The names of the most recent sign-ins are kept. */
const maxNames = 6

type Context = CredentialSecrets & Pick<AuthContext, 'secure'>
/** `macs`: a keyed hash of each name with which the browser signed in. */
type Known = { id: string; macs: string[] }

/**
 * Id of the browser; undefined if it has not signed in with this name. Grants no access: it only selects the limit
 * against which failures count.
 */
export function knownBrowser(context: Context, request: IncomingMessage, identifier: string): string | undefined {
  const known = readKnown(context, request)
  if (!known) return undefined
  const isKnown = cookieSecrets(context).some((secret) => known.macs.includes(macOf(secret, known.id, identifier)))
  return isKnown ? known.id : undefined
}

/** Call this only after a sign-in or a mailed link has proved that the user owns these names. */
export function rememberBrowser(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
  identifiers: readonly string[],
): void {
  if (identifiers.length === 0) return
  const known = readKnown(context, request)
  const id = known?.id ?? randomBytes(16).toString('base64url')
  const fresh = identifiers.map((identifier) => macOf(context.cookieSigningSecret, id, identifier))
  const macs = [...new Set([...fresh, ...(known?.macs ?? [])])].slice(0, maxNames)
  setCookie(context, response, name, [id, ...macs].join('.'), lifetimeSeconds)
}

function readKnown(context: Context, request: IncomingMessage): Known | undefined {
  const value = readCookie(context, request.headers.cookie, name) ?? ''
  if (!/^[\w-]{22}(\.[\w-]{22}){1,6}$/.test(value)) return undefined
  const [id = '', ...macs] = value.split('.')
  return { id, macs }
}

const macOf = (secret: string, id: string, identifier: string): string =>
  createHmac('sha256', secret)
    .update(`known-browser\0${id}\0${identifier.trim().toLowerCase()}`)
    .digest('base64url')
    .slice(0, 22)
