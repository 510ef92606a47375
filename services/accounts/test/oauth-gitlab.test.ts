import { expect, test } from '@jest/globals'
import type { ProviderBehaviour } from './_oauth-server.ts'
import { identifyWithInvalidCode, openOAuthEnv, useOAuthEnv } from './_oauth-type.ts'

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

const gitlab: ProviderBehaviour = {
  authorizePath: '/oauth/authorize',
  tokenPath: '/oauth/token',
  token(_, outcome) {
    if ('error' in outcome) {
      const error_description = 'The provided authorization grant is invalid, expired or revoked.'
      return {
        status: outcome.error === 'invalid_client' ? 401 : 400,
        body: { error: outcome.error, error_description },
      }
    }
    const { accessToken, scopes } = outcome
    const token = { access_token: accessToken, token_type: 'Bearer', expires_in: 7200, scope: scopes.join(' ') }
    return { body: { ...token, refresh_token: 'r', created_at: 1607635748 } }
  },
  api: {
    '/api/v4/user': ({ login, scopes }) =>
      scopes.includes('read_user') ? { body: people[login] } : { status: 403, body: { error: 'insufficient_scope' } },
  },
  unauthorized: { status: 401, body: { message: '401 Unauthorized' } },
}

const oauth = useOAuthEnv('gitlab', gitlab)

test('the profile has hints; by default even a confirmed address is ignored', async () => {
  expect(await oauth.getPending('john')).toMatchObject({
    ...{ providerType: 'gitlab', verifiedEmail: '', loginHint: 'john', displayNameHint: 'john Smith' },
  })
  expect(oauth.server.authorizeQueries.at(-1)?.get('scope')).toBe('read_user')
})

test('a confirmed address counts as verified if the operator says so', async () => {
  await using confirming = await openOAuthEnv('gitlab', gitlab, { provider_options_confirmed_is_verified: 'true' })
  expect(await confirming.getPending('john')).toMatchObject({ verifiedEmail: 'john@example.org' })
  expect(await confirming.getPending('new')).toMatchObject({ verifiedEmail: '' })
  expect(await confirming.getPending('hidden')).toMatchObject({ verifiedEmail: '' })
  expect(await confirming.getPending('john', 'less')).toMatchObject({ verifiedEmail: '' })
})

test('an account stays linked when the user name at the provider changes', async () => {
  const userId = await oauth.makeAccount('john')
  people['jane'] = user(1, 'jane')
  expect((await oauth.signIn('jane')).session?.userId).toBe(userId)
})

test('a profile without a user id is refused, and a cancelled sign-in is reported as denied', async () => {
  expect(await oauth.signIn('strange')).toMatchObject({ error: 'provider_failed' })
  expect(await oauth.signIn('unknown')).toMatchObject({ error: 'provider_failed' })
  expect(await oauth.signIn('')).toMatchObject({ error: 'provider_denied' })
})

test('an invalid code or client secret is reported with its reason', async () => {
  await expect(identifyWithInvalidCode('gitlab', oauth.server)).rejects.toThrow('invalid_grant')
  await expect(identifyWithInvalidCode('gitlab', oauth.server, { clientSecret: 'x' })).rejects.toThrow('invalid_client')
})
