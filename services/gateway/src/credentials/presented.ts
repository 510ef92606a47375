import { credentialDigest, verifySessionCookie } from '@parley/auth'

/** Header access that node:http requests, HTTP/2 requests and fetch headers can all give. */
export type ReadHeader = (name: string) => string | undefined

/** The credentials of a request, in the order in which they are tried. */
export type Presented = { bearer: Buffer | undefined; cookie: Buffer | undefined; cookieHandle: string | undefined }

export type Secrets = { secretKey: string; cookieSigningSecret: string }

export function presentedCredentials(header: ReadHeader, secrets: Secrets): Presented {
  const token = /^bearer +(\S+)$/i.exec(header('authorization') ?? '')?.[1]
  const cookieHandle = verifySessionCookie(secrets.cookieSigningSecret, header('cookie'))
  return {
    bearer: token === undefined ? undefined : credentialDigest(secrets.secretKey, token),
    cookie: cookieHandle === undefined ? undefined : credentialDigest(secrets.secretKey, cookieHandle),
    cookieHandle,
  }
}
