import { expect, test } from '@jest/globals'
import { credentialDigest } from './credential-digest.ts'
import { presentedCredentials, type CredentialSecrets } from './presented.ts'
import { sessionCookieName, signSessionCookie } from './session-cookie.ts'

const secrets: CredentialSecrets = { secretKey: 'new key', cookieSigningSecret: 'new cookie secret' }
const rotated: CredentialSecrets = {
  ...secrets,
  previousSecretKey: 'old key',
  previousCookieSigningSecret: 'old cookie secret',
}
const cookie = (secret: string) => `${sessionCookieName}=${signSessionCookie(secret, 'handle')}`
const read = (headers: Record<string, string>, by = secrets) => presentedCredentials((name) => headers[name], by)

test('a token is looked up under the current key, and under the previous one while one is configured', () => {
  const headers = { authorization: 'Bearer token' }
  expect(read(headers).bearer).toEqual({ digest: credentialDigest('new key', 'token'), previous: undefined })
  expect(read(headers, rotated).bearer).toEqual({
    digest: credentialDigest('new key', 'token'),
    previous: credentialDigest('old key', 'token'),
  })
})

test('a cookie signed with the previous secret is accepted while that secret is configured', () => {
  const old = { cookie: cookie('old cookie secret') }
  expect(read(old)).toEqual({ bearer: undefined, cookie: undefined, cookieHandle: undefined })
  expect(read(old, rotated).cookieHandle).toBe('handle')
  expect(read({ cookie: cookie('new cookie secret') }, rotated).cookie).toEqual({
    digest: credentialDigest('new key', 'handle'),
    previous: credentialDigest('old key', 'handle'),
  })
})

test('a cookie that only this site can have set takes precedence, whichever secret signed it', () => {
  const planted = `${sessionCookieName}=${signSessionCookie('new cookie secret', 'planted')}`
  expect(read({ cookie: `${planted}; __Host-${cookie('old cookie secret')}` }, rotated).cookieHandle).toBe('handle')
})
