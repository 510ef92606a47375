import { expect, test } from '@jest/globals'
import { clientId, type ProviderBehaviour } from './_oauth-server.ts'
import { identifyWithInvalidCode, useOAuthEnv } from './_oauth-type.ts'

const people: Record<string, Record<string, unknown>> = {
  jane: {
    ...{ sub: '110169484474386276334', name: 'Jane Doe', given_name: 'Jane', family_name: 'Doe' },
    ...{ picture: 'https://lh3.example.org/a/x=s96-c', email: 'jane.doe@example.org', email_verified: true },
  },
  new: { sub: '2', name: 'New', email: 'new@example.org', email_verified: false },
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const google: ProviderBehaviour = {
  authorizePath: '/o/oauth2/v2/auth',
  tokenPath: '/token',
  token(_, outcome) {
    if ('error' in outcome) {
      const status = outcome.error === 'invalid_client' ? 401 : 400
      return { status, body: { error: outcome.error, error_description: 'Bad Request' } }
    }
    const { accessToken, scopes } = outcome
    const seconds = Math.floor(Date.now() / 1000)
    const claims = { iss: 'https://accounts.google.com', aud: clientId, sub: 'x', iat: seconds, exp: seconds + 3599 }
    const idToken = `${part({ alg: 'RS256', kid: 'k', typ: 'JWT' })}.${part(claims)}.c2lnbmF0dXJl`
    const token = { access_token: accessToken, expires_in: 3599, scope: scopes.join(' '), token_type: 'Bearer' }
    return { body: { ...token, id_token: idToken } }
  },
  api: {
    '/v1/userinfo': ({ login, scopes }) => {
      if (!scopes.includes('openid')) return { status: 403, body: { error: 'insufficient_scope' } }
      const { email, email_verified, ...profile } = people[login] ?? {}
      return { body: scopes.includes('email') ? { ...profile, email, email_verified } : profile }
    },
  },
  unauthorized: { status: 401, body: { error: 'invalid_request', error_description: 'Invalid Credentials' } },
}

const oauth = useOAuthEnv('google', google)

test('the profile has a verified address and hints', async () => {
  expect(await oauth.getPending('jane')).toMatchObject({
    ...{ providerType: 'google', verifiedEmail: 'jane.doe@example.org' },
    ...{ loginHint: 'jane.doe', displayNameHint: 'Jane Doe' },
  })
  expect(oauth.server.authorizeQueries.at(-1)?.get('scope')).toBe('openid profile email')
  expect(await oauth.getPending('new')).toMatchObject({ verifiedEmail: '' })
})

test('an account stays linked after the address has changed', async () => {
  const userId = await oauth.makeAccount('jane')
  people['renamed'] = { ...people['jane'], email: 'jane.smith@example.org' }
  expect((await oauth.signIn('renamed')).session?.userId).toBe(userId)
})

test('no address is used if the operator has disabled that', async () => {
  expect(await oauth.getPending('jane', 'less')).toMatchObject({
    verifiedEmail: '',
    loginHint: '',
    displayNameHint: 'Jane Doe',
  })
})

test('a user who declines or is unknown, and an invalid code, are reported', async () => {
  expect(await oauth.signIn('')).toMatchObject({ error: 'provider_denied' })
  expect(await oauth.signIn('unknown')).toMatchObject({ error: 'provider_failed' })
  await expect(identifyWithInvalidCode('google', oauth.server)).rejects.toThrow('invalid_grant')
})
