import {
  cookieSecrets,
  credentialDigests,
  verifySessionCookie,
  type CredentialDigests,
  type SecretKeys,
} from '@parley/credentials'
import { isOwnOrigin, type ClientAddress } from '@parley/runtime'
import type { PresentedCredentials } from './presented-credentials.ts'
import type { HttpRequest } from './uws.ts'

type OriginRule = {
  publicUrl: string
  allowedOrigins: readonly string[]
}

type CookieSecrets = {
  cookieSigningSecret: string
  previousCookieSigningSecret?: string | undefined
}

export type Upgrade = { request: HttpRequest; peer: string }

function checkOrigin(
  origin: string,
  host: string,
  { publicUrl, allowedOrigins }: OriginRule,
): 'refused' | 'no cookie' | 'trusted' {
  if (origin === '') return 'trusted' // Not a browser, so the client sent the cookie deliberately.
  if (isOwnOrigin(origin, host, publicUrl)) return 'trusted'
  if (allowedOrigins.includes(origin)) return 'trusted'
  return allowedOrigins.includes('*') ? 'no cookie' : 'refused'
}

/** Undefined if the origin is refused. */
export function readPresentedCredentials(
  { request, peer }: Upgrade,
  rule: OriginRule & CookieSecrets & { clientAddress: ClientAddress },
): PresentedCredentials | undefined {
  const verdict = checkOrigin(request.getHeader('origin'), request.getHeader('host'), rule)
  if (verdict === 'refused') return undefined
  const authorization = request.getHeader('authorization')
  return {
    authorizationToken: /^bearer +(\S+)$/i.exec(authorization)?.[1],
    cookieHandle:
      verdict === 'trusted' ? verifySessionCookie(cookieSecrets(rule), request.getHeader('cookie')) : undefined,
    address: rule.clientAddress(peer, headerReader(request)),
  }
}

/**
 * Reads all headers once. The lines of a header are joined, because a proxy may add a line after those of the client.
 */
function headerReader(request: HttpRequest): (name: string) => string | undefined {
  let headers: Map<string, string> | undefined
  return (name) => {
    if (headers) return headers.get(name) || undefined
    const read = (headers = new Map<string, string>())
    request.forEach((key, value) => {
      const before = read.get(key)
      read.set(key, before === undefined ? value : `${before}, ${value}`)
    })
    return read.get(name) || undefined
  }
}

/** A token in the hello is used alone; otherwise the header comes before the cookie. */
export function digestsToTry(
  keys: SecretKeys,
  bearerToken: string | undefined,
  presented: PresentedCredentials,
): CredentialDigests[] {
  const tokens = bearerToken === undefined ? [presented.authorizationToken, presented.cookieHandle] : [bearerToken]
  return tokens.flatMap((token) => (token ? credentialDigests(keys, token) : []))
}
