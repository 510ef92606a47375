import { credentialDigests, type CredentialDigests } from './credential-digest.ts'
import type { SecretKeys } from './secret-digest.ts'
import { verifySessionCookie } from './session-cookie.ts'

/** Reads a header of any kind of request. */
export type ReadHeader = (name: string) => string | undefined

/** The credentials of a request as digests, and the handle in its session cookie; undefined where it has none. */
export type Presented = {
  bearer: CredentialDigests | undefined
  cookie: CredentialDigests | undefined
  cookieHandle: string | undefined
}

/** Previous secrets are used only for verification. */
export type CredentialSecrets = SecretKeys & {
  cookieSigningSecret: string
  previousCookieSigningSecret?: string | undefined
}

/** Secrets with which a cookie may have been signed, the current one first. */
export const cookieSecrets = ({
  cookieSigningSecret,
  previousCookieSigningSecret,
}: Pick<CredentialSecrets, 'cookieSigningSecret' | 'previousCookieSigningSecret'>): string[] =>
  [cookieSigningSecret, previousCookieSigningSecret].filter((secret) => secret !== undefined)

/** The digests under which accounts may have stored the credentials, with the current and the previous key. */
export const digestsIn = (...credentials: (CredentialDigests | undefined)[]): Buffer[] =>
  credentials.flatMap((one) => [one?.digest, one?.previous]).filter((digest) => digest !== undefined)

export function presentedCredentials(header: ReadHeader, secrets: CredentialSecrets): Presented {
  const token = /^bearer +(\S+)$/i.exec(header('authorization') ?? '')?.[1]
  const cookies = header('cookie')
  const cookieHandle = verifySessionCookie(cookieSecrets(secrets), cookies)
  return {
    bearer: token === undefined ? undefined : credentialDigests(secrets, token),
    cookie: cookieHandle === undefined ? undefined : credentialDigests(secrets, cookieHandle),
    cookieHandle,
  }
}
