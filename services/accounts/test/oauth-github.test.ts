import { expect, test } from '@jest/globals'
import { finishLogin, startLogin } from './_identities.ts'
import { signInOn, type ProviderBehaviour } from './_oauth-server.ts'
import { identifyWithInvalidCode, useOAuthEnv } from './_oauth-type.ts'

const people: Record<string, { id: number; name: string | null; login: string; emails: object[] }> = {
  octo: {
    id: 583231,
    login: 'octo',
    name: 'Octo Cat',
    emails: [
      { email: 'second@example.org', primary: false, verified: true },
      { email: 'octo@example.org', primary: true, verified: true, visibility: null },
    ],
  },
  plain: { id: 2, login: 'plain', name: null, emails: [{ email: 'p@example.org', primary: true, verified: false }] },
}

const github: ProviderBehaviour = {
  authorizePath: '/login/oauth/authorize',
  tokenPath: '/login/oauth/access_token',
  // Errors have the status 200. No response is JSON unless JSON is requested.
  token({ headers }, outcome) {
    const body =
      'error' in outcome
        ? {
            error: outcome.error === 'invalid_client' ? 'incorrect_client_credentials' : 'bad_verification_code',
            error_description: 'The code passed is incorrect or expired.',
          }
        : { access_token: outcome.accessToken, scope: outcome.scopes.join(','), token_type: 'bearer' }
    if (headers.accept?.includes('application/json')) return { body }
    return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(Object.entries(body)).toString() }
  },
  api: {
    '/api/v3/user'({ login }, { headers }) {
      const user = people[login]
      if (!headers['user-agent'])
        return { status: 403, body: { message: 'Request forbidden by administrative rules.' } }
      if (!user) return { status: 500, body: {} }
      const avatar_url = `https://avatars.example.org/u/${user.id}`
      return { body: { ...user, emails: undefined, email: null, avatar_url, type: 'User' } }
    },
    '/api/v3/user/emails': ({ login, scopes }) =>
      scopes.includes('user:email') ? { body: people[login]?.emails } : undefined,
  },
  unauthorized: { status: 401, body: { message: 'Bad credentials' } },
}

const oauth = useOAuthEnv('github', github)

test('the profile has a verified address and hints', async () => {
  expect(await oauth.getPending('octo')).toMatchObject({
    providerType: 'github',
    verifiedEmail: 'octo@example.org',
    loginHint: 'octo',
    displayNameHint: 'Octo Cat',
  })
  const requested = oauth.server.authorizeQueries.at(-1)
  expect(requested?.get('scope')).toBe('read:user user:email')
  expect(requested?.get('code_challenge_method')).toBe('S256')
  expect(await oauth.getPending('plain')).toMatchObject({ verifiedEmail: '', loginHint: 'plain', displayNameHint: '' })
})

test('somebody with the former GitHub user name of a person does not get the account of that person', async () => {
  const userId = await oauth.makeAccount('octo')
  people['renamed'] = { ...people['plain'], id: 583231, login: 'renamed', name: null, emails: [] }
  people['octo'] = { id: 9, login: 'octo', name: null, emails: [] }
  expect((await oauth.signIn('renamed')).session?.userId).toBe(userId)
  expect((await oauth.signIn('octo')).session).toBeUndefined()
})

test('no address is used if the operator has disabled that', async () => {
  const emails = [{ email: 'v@example.org', primary: true, verified: true }]
  people['verified'] = { id: 3, login: 'verified', name: null, emails }
  expect(await oauth.getPending('verified')).toMatchObject({ verifiedEmail: 'v@example.org' })
  expect(await oauth.getPending('verified', 'less')).toMatchObject({ verifiedEmail: '' })
})

test('an error with a success status is recognised', async () => {
  const callback = await signInOn(oauth.server, await startLogin(oauth.env, 'all'), 'octo')
  callback.searchParams.set('code', 'made up')
  expect(await finishLogin(oauth.env, 'all', callback)).toMatchObject({ error: 'provider_failed' })
  await expect(identifyWithInvalidCode('github', oauth.server)).rejects.toThrow(
    'bad_verification_code: The code passed is incorrect',
  )
  await expect(identifyWithInvalidCode('github', oauth.server, { clientSecret: 'x' })).rejects.toThrow(
    'incorrect_client_credentials',
  )
})

test('a refusal is reported as denied, a failure of the API as failed', async () => {
  expect(await oauth.signIn('')).toMatchObject({ error: 'provider_denied' })
  expect(await oauth.signIn('nobody')).toMatchObject({ error: 'provider_failed' })
})
