import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Documented } from './_oauth-server.ts'
import { directly, openOAuthEnv, type OAuthEnv } from './_oauth-type.ts'

const user = (id: number, username: string, more: object = {}) => ({
  ...{ id, username, name: `${username} Smith`, state: 'active', email: `${username}@example.org` },
  ...{ confirmed_at: '2012-05-23T09:05:22Z', avatar_url: `https://gitlab.example.org/${id}.jpg`, ...more },
})
const people: Record<string, object> = {
  john: user(1, 'john'),
  new: user(2, 'new', { confirmed_at: null }),
  hidden: user(3, 'hidden', { email: null, avatar_url: null }),
  strange: user(0, 'strange'),
}

const gitlab: Documented = {
  authorizePath: '/oauth/authorize',
  tokenPath: '/oauth/token',
  token(_, granted) {
    if ('error' in granted) {
      const error_description = 'The provided authorization grant is invalid, expired or revoked.'
      return {
        status: granted.error === 'invalid_client' ? 401 : 400,
        body: { error: granted.error, error_description },
      }
    }
    const { accessToken, scopes } = granted
    const token = { access_token: accessToken, token_type: 'Bearer', expires_in: 7200, scope: scopes.join(' ') }
    return { body: { ...token, refresh_token: 'r', created_at: 1607635748 } }
  },
  api: {
    '/api/v4/user': ({ login, scopes }) =>
      scopes.includes('read_user') ? { body: people[login] } : { status: 403, body: { error: 'insufficient_scope' } },
  },
  unauthorized: { status: 401, body: { message: '401 Unauthorized' } },
}

let at: OAuthEnv
beforeAll(async () => {
  at = await openOAuthEnv('gitlab', gitlab)
})
afterAll(async () => at[Symbol.asyncDispose]())

test('a user is identified by the number; an address is ignored, confirmed or not', async () => {
  expect(await at.pending('john')).toMatchObject({
    ...{ providerType: 'gitlab', verifiedEmail: '', loginHint: 'john', displayNameHint: 'john Smith' },
  })
  expect(at.server.requested.at(-1)?.get('scope')).toBe('read_user')
})

test('the address of a confirmed account counts if the operator says so', async () => {
  await using confirming = await openOAuthEnv('gitlab', gitlab, { provider_options_confirmed_is_verified: 'true' })
  expect(await confirming.pending('john')).toMatchObject({ verifiedEmail: 'john@example.org' })
  expect(await confirming.pending('new')).toMatchObject({ verifiedEmail: '' })
  expect(await confirming.pending('hidden')).toMatchObject({ verifiedEmail: '' })
  expect(await confirming.pending('john', 'less')).toMatchObject({ verifiedEmail: '' })
})

test('an account remains its user’s after a change of name', async () => {
  const userId = await at.makeAccount('john')
  people['jane'] = user(1, 'jane')
  expect((await at.signIn('jane')).session?.userId).toBe(userId)
})

test('a missing or invalid user number is refused', async () => {
  expect(await at.signIn('strange')).toMatchObject({ error: 'provider_failed' })
  expect(await at.signIn('unknown')).toMatchObject({ error: 'provider_failed' })
  expect(await at.signIn('')).toMatchObject({ error: 'provider_denied' })
})

test('the reason for refusing a code is logged', async () => {
  await expect(directly('gitlab', at.server)).rejects.toThrow('invalid_grant')
  await expect(directly('gitlab', at.server, { clientSecret: 'x' })).rejects.toThrow('invalid_client')
})
