import { isLoopbackHost, issuerOf } from '@parley/credentials'

export type ClientOrigins = {
  publicUrl: string
  allowedOrigins: readonly string[]
  oauthRedirectOrigins: readonly string[]
}

const maxLength = 1_024

/**
 * The redirect URL of the authorization-code flow: http(s), at most 1,024 printable ASCII characters, without
 * backslash, fragment and credentials, on our own origin, a listed origin or a loopback address. `*` in
 * `oauthRedirectOrigins` stands for any https origin.
 */
export function redirectTarget(given: string | null, origins: ClientOrigins): URL | undefined {
  if (!given || given.length > maxLength || !/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/i.test(given)) return undefined
  if (!URL.canParse(given)) return undefined
  const target = new URL(given)
  const { origin, hostname, protocol } = target
  if (target.username || target.password || given.includes('#')) return undefined
  const { publicUrl, allowedOrigins, oauthRedirectOrigins } = origins
  const known =
    origin === new URL(publicUrl).origin ||
    allowedOrigins.includes(origin) ||
    oauthRedirectOrigins.includes(origin) ||
    isLoopbackHost(hostname)
  return known || (protocol === 'https:' && oauthRedirectOrigins.includes('*')) ? target : undefined
}

/** Adds the parameters that are not empty, and our issuer (RFC 9207). */
export function responseUrl(
  { publicUrl }: Pick<ClientOrigins, 'publicUrl'>,
  redirectUri: string,
  parameters: Record<string, string>,
): string {
  const target = new URL(redirectUri)
  const all = { ...parameters, iss: issuerOf(publicUrl) }
  for (const [name, value] of Object.entries(all)) if (value !== '') target.searchParams.set(name, value)
  return target.href
}
