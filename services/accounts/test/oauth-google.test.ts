import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { clientId, type Documented } from './_oauth-server.ts'
import { directly, openOAuthEnv, type OAuthEnv } from './_oauth-type.ts'

const people: Record<string, Record<string, unknown>> = {
  jane: {
    ...{ sub: '110169484474386276334', name: 'Jane Doe', given_name: 'Jane', family_name: 'Doe' },
    ...{ picture: 'https://lh3.example.org/a/x=s96-c', email: 'jane.doe@example.org', email_verified: true },
  },
  new: { sub: '2', name: 'New', email: 'new@example.org', email_verified: false },
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const google: Documented = {
  authorizePath: '/o/oauth2/v2/auth',
  tokenPath: '/token',
  token(_, granted) {
    if ('error' in granted) {
      const status = granted.error === 'invalid_client' ? 401 : 400
      return { status, body: { error: granted.error, error_description: 'Bad Request' } }
    }
    const { accessToken, scopes } = granted
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

let at: OAuthEnv
beforeAll(async () => {
  at = await openOAuthEnv('google', google)
})
afterAll(async () => at[Symbol.asyncDispose]())

test('a user is identified by the subject; everything else is a hint', async () => {
  expect(await at.pending('jane')).toMatchObject({
    ...{ providerType: 'google', verifiedEmail: 'jane.doe@example.org' },
    ...{ loginHint: 'jane.doe', displayNameHint: 'Jane Doe' },
  })
  expect(at.server.requested.at(-1)?.get('scope')).toBe('openid profile email')
  expect(await at.pending('new')).toMatchObject({ verifiedEmail: '' })
})

test('an account remains its user’s after a change of address', async () => {
  const userId = await at.makeAccount('jane')
  people['renamed'] = { ...people['jane'], email: 'jane.smith@example.org' }
  expect((await at.signIn('renamed')).session?.userId).toBe(userId)
})

test('no address is requested or accepted if the operator disabled it', async () => {
  expect(await at.pending('jane', 'less')).toMatchObject({
    verifiedEmail: '',
    loginHint: '',
    displayNameHint: 'Jane Doe',
  })
})

test('a user who declines or is unknown does not sign in, and the reason is logged', async () => {
  expect(await at.signIn('')).toMatchObject({ error: 'provider_denied' })
  expect(await at.signIn('unknown')).toMatchObject({ error: 'provider_failed' })
  await expect(directly('google', at.server)).rejects.toThrow('invalid_grant')
})
