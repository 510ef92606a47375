import { credentialDigest, verifySessionCookie } from '@parley/auth'

/** Header access that node:http requests, HTTP/2 requests and fetch headers can all give. */
export type ReadHeader = (name: string) => string | undefined

/** The credentials of a request, in the order in which they are tried: each by its digests under the keys there are. */
export type Presented = { bearer: Buffer[]; cookie: Buffer[]; cookieHandle: string | undefined }

/** Those before the last rotation are good for reading alone. */
export type Secrets = {
  secretKey: string
  previousSecretKey?: string | undefined
  cookieSigningSecret: string
  previousCookieSigningSecret?: string | undefined
}

const present = (secrets: (string | undefined)[]): string[] => secrets.filter((secret) => secret !== undefined)

/** Secrets under which a cookie, or what goes with it, may have been signed, the present one first. */
export const cookieSecrets = (secrets: Secrets): string[] =>
  present([secrets.cookieSigningSecret, secrets.previousCookieSigningSecret])

/** What accounts may know a token by, under the present key and the one before. */
export const digestsOf = ({ secretKey, previousSecretKey }: Secrets, token: string): Buffer[] =>
  present([secretKey, previousSecretKey]).map((key) => credentialDigest(key, token))

export function presentedCredentials(header: ReadHeader, secrets: Secrets): Presented {
  const token = /^bearer +(\S+)$/i.exec(header('authorization') ?? '')?.[1]
  const cookies = header('cookie')
  const cookieHandle = cookieSecrets(secrets)
    .map((secret) => verifySessionCookie(secret, cookies))
    .find((handle) => handle !== undefined)
  return {
    bearer: token === undefined ? [] : digestsOf(secrets, token),
    cookie: cookieHandle === undefined ? [] : digestsOf(secrets, cookieHandle),
    cookieHandle,
  }
}
