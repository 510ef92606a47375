import { toJsonString } from '@bufbuild/protobuf'
import { GetServerResponseSchema } from '@parley/contracts/discovery'
import { expect, test } from '@jest/globals'
import { useAdmin } from './_admin.ts'

const admin = useAdmin()

test('anyone may read the public profile and the ways to sign in', async () => {
  await using _process = await admin.start()
  const server = await admin.anonymous.discovery.getServer({})
  expect(server.profile).toMatchObject({ name: 'Parley', version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
  expect(server.profile?.description).not.toBe('')
  expect(server.profile?.welcomeMessage).toBeUndefined()
  expect(server.publicProfile).toEqual(server.profile)
  expect(server.login).toMatchObject({
    directRegistrationEnabled: true,
    providers: [],
    authorizeUrl: '/oauth/authorize',
  })
  expect(server).toMatchObject({ directRegistrationEnabled: true, loginProviders: [] })
})

test('the ways to sign in show that registration is closed', async () => {
  await using _process = await admin.start({ PARLEY_AUTH_DIRECT_REGISTRATION: 'false' })
  const server = await admin.anonymous.discovery.getServer({})
  expect(server.login?.directRegistrationEnabled).toBe(false)
  expect(server.directRegistrationEnabled).toBe(false)
})

test('the configured providers are listed in order, without secrets', async () => {
  await using _process = await admin.start({
    PARLEY_AUTH_PROVIDERS_0_ID: 'corp:sso',
    PARLEY_AUTH_PROVIDERS_0_TYPE: 'oidc',
    PARLEY_AUTH_PROVIDERS_0_LABEL: 'Corporate',
    PARLEY_AUTH_PROVIDERS_0_ISSUER_URL: 'https://id.example.org',
    PARLEY_AUTH_PROVIDERS_0_CLIENT_ID: 'parley',
    PARLEY_AUTH_PROVIDERS_0_CLIENT_SECRET: 'very secret',
    PARLEY_AUTH_PROVIDERS_1_ID: 'github',
    PARLEY_AUTH_PROVIDERS_1_TYPE: 'github',
    PARLEY_AUTH_PROVIDERS_1_CLIENT_ID: 'parley',
    PARLEY_AUTH_PROVIDERS_1_CLIENT_SECRET: 'very secret',
  })
  const server = await admin.anonymous.discovery.getServer({})
  expect(server.login?.providers).toMatchObject([
    { id: 'corp:sso', type: 'oidc', label: 'Corporate', loginUrl: '/auth/providers/corp%3Asso' },
    { id: 'github', type: 'github', label: 'github', loginUrl: '/auth/providers/github' },
  ])
  expect(server.loginProviders).toEqual(server.login?.providers)
  expect(toJsonString(GetServerResponseSchema, server)).not.toContain('very secret')
})
