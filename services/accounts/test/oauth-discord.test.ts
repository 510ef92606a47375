import { expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import type { ProviderBehaviour } from './_oauth-server.ts'
import { identifyWithInvalidCode, useOAuthEnv } from './_oauth-type.ts'

const people: Record<string, Record<string, unknown>> = {
  nelly: {
    ...{ id: '80351110224678912', username: 'nelly', discriminator: '0', global_name: 'Nelly the Elephant' },
    ...{ avatar: '8342729096ea3675442027381ff50dfe', email: 'nelly@example.org', verified: true },
  },
  plain: { id: '2', username: 'plain', global_name: null, avatar: null, email: 'p@example.org', verified: false },
}

const discord: ProviderBehaviour = {
  authorizePath: '/oauth2/authorize',
  tokenPath: '/api/oauth2/token',
  token({ headers }, outcome) {
    if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return { status: 415, body: {} }
    if ('error' in outcome) return { status: outcome.error === 'invalid_client' ? 401 : 400, body: outcome }
    const { accessToken, scopes } = outcome
    const token = { access_token: accessToken, token_type: 'Bearer', expires_in: 604800, scope: scopes.join(' ') }
    return { body: { ...token, refresh_token: 'r' } }
  },
  api: {
    '/api/v10/users/@me': ({ login, scopes }) => {
      if (!scopes.includes('identify')) return { status: 401, body: { message: '401: Unauthorized', code: 0 } }
      const { email, verified, ...user } = people[login] ?? {}
      return { body: scopes.includes('email') ? { ...user, email, verified } : user }
    },
  },
  unauthorized: { status: 401, body: { message: '401: Unauthorized', code: 0 } },
}

const oauth = useOAuthEnv('discord', discord)

test('the profile has a verified address and hints', async () => {
  expect(await oauth.getPending('nelly')).toMatchObject({
    ...{ providerType: 'discord', verifiedEmail: 'nelly@example.org' },
    ...{ loginHint: 'nelly', displayNameHint: 'Nelly the Elephant' },
  })
  expect(oauth.server.authorizeQueries.at(-1)?.get('scope')).toBe('identify email')
  expect(await oauth.getPending('plain')).toMatchObject({ verifiedEmail: '', displayNameHint: 'plain' })
})

test('an account gets the avatar, and stays linked when the user name at the provider changes', async () => {
  const userId = await oauth.makeAccount('nelly')
  await eventually(() =>
    expect(oauth.env.fakes.imports).toMatchObject([
      {
        ownerId: userId,
        url: 'https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea3675442027381ff50dfe.png?size=256',
      },
    ]),
  )
  people['renamed'] = { ...people['nelly'], username: 'renamed' }
  expect((await oauth.signIn('renamed')).session?.userId).toBe(userId)
})

test('no address is used if the operator has disabled that', async () => {
  expect(await oauth.getPending('nelly', 'less')).toMatchObject({ verifiedEmail: '', loginHint: 'nelly' })
})

test('a user who declines or is unknown, and an invalid code, are reported', async () => {
  expect(await oauth.signIn('')).toMatchObject({ error: 'provider_denied' })
  expect(await oauth.signIn('unknown')).toMatchObject({ error: 'provider_failed' })
  await expect(identifyWithInvalidCode('discord', oauth.server)).rejects.toThrow('invalid_grant')
})
