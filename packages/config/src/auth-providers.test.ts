import { describe, expect, test } from '@jest/globals'
import { describe as describeConfig } from './describe.ts'
import { authProviderFields, defineConfig, redact } from './index.ts'
import { problemsOf as problemsIn, useConfigFile } from './_sources.ts'

const readConfig = defineConfig(authProviderFields())

const file = useConfigFile()
const providersOf = (content: string, env: NodeJS.ProcessEnv = {}) => readConfig({ env, file: file(content) }).providers

const problemsOf = (content: string, env?: NodeJS.ProcessEnv) => problemsIn(() => providersOf(content, env))

/** A valid provider table, with these keys added or overridden. */
const table = (keys: Record<string, unknown>) =>
  [
    '[[auth.providers]]',
    ...Object.entries({ ...validTable, ...keys }).map(([key, v]) => `${key} = ${JSON.stringify(v)}`),
  ].join('\n')
const validTable = { id: 'work', type: 'github', client_id: 'parley', client_secret: 'hunter2' }
const oidc = { type: 'oidc', issuer_url: 'https://id.example.org' }

describe('a provider', () => {
  test('is read with its defaults', () => {
    expect(providersOf(table(oidc))).toEqual([
      {
        id: 'work',
        type: 'oidc',
        label: 'work',
        clientId: 'parley',
        clientSecret: 'hunter2',
        issuerUrl: 'https://id.example.org',
        scopes: ['openid', 'profile', 'email'],
        requestEmail: true,
        autoProvision: true,
        options: { confirmedIsVerified: false },
      },
    ])
  })

  test.each([
    ['oidc', true, ['openid', 'profile', 'email']],
    ['oidc', false, ['openid', 'profile']],
    ['github', true, ['read:user', 'user:email']],
    ['github', false, ['read:user']],
    ['gitlab', true, ['read_user']],
    ['gitlab', false, ['read_user']],
    ['google', true, ['openid', 'profile', 'email']],
    ['google', false, ['openid', 'profile']],
    ['discord', true, ['identify', 'email']],
    ['discord', false, ['identify']],
  ])('of type %s with request_email %s requests the scopes %j', (type, request_email, scopes) => {
    const [provider] = providersOf(table({ ...(type === 'oidc' ? oidc : { type }), request_email }))
    expect(provider).toMatchObject({ type, scopes, requestEmail: request_email })
  })

  test('of type oidc or google always requests openid; others request only the configured scopes', () => {
    expect(providersOf(table({ ...oidc, scopes: ['groups'] }))[0]?.scopes).toEqual(['openid', 'groups'])
    expect(providersOf(table({ ...oidc, scopes: ['email', 'openid'] }))[0]?.scopes).toEqual(['openid', 'email'])
    expect(providersOf(table({ type: 'google', scopes: ['email'] }))[0]?.scopes).toEqual(['openid', 'email'])
    expect(providersOf(table({ scopes: ['repo'] }))[0]?.scopes).toEqual(['repo'])
    expect(providersOf(table({ scopes: [] }))[0]?.scopes).toEqual([])
  })

  test('creates accounts if registration is open, unless configured otherwise', () => {
    const auto = (keys: object, direct: boolean) =>
      providersOf(`[auth]\ndirect_registration = ${direct}\n${table({ ...keys })}`)[0]?.autoProvision
    expect(auto({}, false)).toBe(false)
    expect(auto({}, true)).toBe(true)
    expect(auto({ auto_provision: true }, false)).toBe(true)
    expect(auto({ auto_provision: false }, true)).toBe(false)
    expect(providersOf(table({}), { PARLEY_AUTH_DIRECT_REGISTRATION: 'no' })[0]?.autoProvision).toBe(false)
  })

  test('may be a self-hosted instance', () => {
    const [provider] = providersOf(
      `${table({})}\n[auth.providers.provider_options]\nbase_url = "https://git.example.org"`,
    )
    expect(provider?.options).toEqual({ baseUrl: 'https://git.example.org', confirmedIsVerified: false })
  })

  test('counts the e-mail address of a confirmed account as verified only for type gitlab', () => {
    const options = '\n[auth.providers.provider_options]\nconfirmed_is_verified = true'
    const [provider] = providersOf(table({ type: 'gitlab' }) + options)
    expect(provider?.options.confirmedIsVerified).toBe(true)
    for (const other of [{ type: 'github' }, oidc])
      expect(() => providersOf(table(other) + options)).toThrow(/is allowed only for type gitlab/)
  })
})

describe('the environment', () => {
  const env = {
    PARLEY_AUTH_PROVIDERS_0_CLIENT_SECRET: 'from the environment',
    PARLEY_AUTH_PROVIDERS_1_ID: 'chat',
    PARLEY_AUTH_PROVIDERS_1_TYPE: 'discord',
    PARLEY_AUTH_PROVIDERS_1_LABEL: 'Chat',
    PARLEY_AUTH_PROVIDERS_1_CLIENT_ID: 'c',
    PARLEY_AUTH_PROVIDERS_1_CLIENT_SECRET: 's',
    PARLEY_AUTH_PROVIDERS_1_SCOPES: 'identify,guilds',
    PARLEY_AUTH_PROVIDERS_1_REQUEST_EMAIL: 'false',
    PARLEY_AUTH_PROVIDERS_1_PROVIDER_OPTIONS_BASE_URL: 'https://chat.example.org',
  }

  test('overrides single settings of the file, and adds providers after the last one of the file', () => {
    expect(providersOf(table({}), env)).toMatchObject([
      { id: 'work', clientSecret: 'from the environment' },
      {
        id: 'chat',
        label: 'Chat',
        scopes: ['identify', 'guilds'],
        requestEmail: false,
        options: { baseUrl: 'https://chat.example.org' },
      },
    ])
  })

  test('can define all providers', () => {
    const alone = Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) =>
        name.includes('_1_') ? [[name.replace('_1_', '_0_'), value]] : [],
      ),
    )
    expect(readConfig({ env: alone, file: file('') }).providers).toMatchObject([{ id: 'chat', type: 'discord' }])
  })

  test('must number the providers consecutively from 0, and must not contain unknown settings', () => {
    expect(problemsOf('', { ...env, PARLEY_AUTH_PROVIDERS_0_CLIENT_SECRET: '' })).toEqual([
      'PARLEY_AUTH_PROVIDERS_1_...: there is a gap in the numbers before 1; they start at 0',
    ])
    expect(
      problemsOf(table({}), {
        PARLEY_AUTH_PROVIDERS_0_SECRET: 'hunter2',
        PARLEY_AUTH_PROVIDERS_00_ID: 'x',
        PARLEY_AUTH_PROVIDERS_GITHUB_ID: 'x',
      }),
    ).toEqual([
      'PARLEY_AUTH_PROVIDERS_00_ID: is not a setting; is it misspelt?',
      'PARLEY_AUTH_PROVIDERS_0_SECRET: is not a setting; is it misspelt?',
      'PARLEY_AUTH_PROVIDERS_GITHUB_ID: is not a setting; is it misspelt?',
    ])
  })
})

describe('problems are reported for', () => {
  test.each([
    ['a space in the id', { id: 'my work' }],
    ['a slash in the id', { id: 'my/work' }],
    ['a question mark in the id', { id: 'work?' }],
    ['a hash in the id', { id: '#work' }],
    ['an id that is a relative path segment', { id: '..' }],
    ['an empty id', { id: '' }],
    ['an unknown type', { type: 'saml' }],
    ['an empty client id', { client_id: '' }],
    ['an empty client secret', { client_secret: '' }],
    ['a secret that is not a string', { client_secret: 12345 }],
    ['a scope with a space', { scopes: ['openid profile'] }],
    ['scopes that are not a list', { scopes: 1 }],
    ['an issuer for another type', { issuer_url: 'https://id.example.org' }],
    ['no issuer', { type: 'oidc' }],
    ['a relative issuer', { ...oidc, issuer_url: '/id' }],
    ['an issuer that is not an HTTP URL', { ...oidc, issuer_url: 'ldap://id.example.org' }],
    ['an issuer with a query', { ...oidc, issuer_url: 'https://id.example.org?x=1' }],
    ['an issuer with a fragment', { ...oidc, issuer_url: 'https://id.example.org#x' }],
    [
      'the discovery document as issuer',
      { ...oidc, issuer_url: 'https://id.example.org/.well-known/openid-configuration' },
    ],
    ['an unknown setting', { secret: 'x' }],
  ])('%s', (_, keys) => {
    expect(problemsOf(table(keys))).toHaveLength(1)
  })

  test('all invalid settings at once, each by name and without secret values', () => {
    const content = `${table({ type: 'saml', client_secret: 12345 })}\n${table({ id: 'a b' })}\n${table({ request_email: 'x' })}`
    const path = file(content)
    const problems = problemsOf(content, { PARLEY_AUTH_PROVIDERS_5_ID: 'hunter2' })
    expect(problems.slice(0, 5)).toEqual([
      'PARLEY_AUTH_PROVIDERS_5_...: there is a gap in the numbers before 5; they start at 0',
      `auth.providers.0.type in ${path}: "saml" is not one of: oidc, github, gitlab, google, discord`,
      `auth.providers.0.client_secret in ${path}: the given value is not a string`,
      expect.stringContaining(`auth.providers.1.id in ${path}: "a b" does not match`),
      `auth.providers.2.request_email in ${path}: "x" is neither true nor false`,
    ])
    expect(problems.join()).not.toMatch(/hunter2|12345/)
  })

  test('an id that is used twice, and a base URL of an oidc provider', () => {
    const options = '\n[auth.providers.provider_options]\nbase_url = "https://x.example.org"\n'
    expect(problemsOf(`${table(oidc)}${options}${table({})}`)).toEqual([
      'PARLEY_AUTH_PROVIDERS_0_PROVIDER_OPTIONS_BASE_URL: is not allowed for type oidc; its URLs are discovered from issuer_url',
      'PARLEY_AUTH_PROVIDERS_1_ID: "work" is already the id of another provider',
    ])
  })

  test('a single table instead of an array of tables', () => {
    expect(problemsOf('[auth.providers]\nid = "work"')).toEqual([
      expect.stringContaining('must be an array of tables, [[auth.providers]]'),
    ])
  })
})

test('a service that only lists providers needs no client secrets and gets none', () => {
  const readShown = defineConfig(authProviderFields({ secrets: false }))
  const given = table({}).replace(/client_secret.*/, '')
  expect(readShown({ env: {}, file: file(given) }).providers).toMatchObject([{ id: 'work', clientSecret: '' }])
  expect(readShown({ env: {}, file: file(table({})) }).providers).toMatchObject([{ id: 'work', clientSecret: '' }])
  expect(describeConfig(readShown).map(({ toml }) => toml)).not.toContain('auth.providers[].client_secret')
})

test('secrets of providers are redacted', () => {
  const config = readConfig({ env: {}, file: file(table({})) })
  expect(redact(config)).toMatchObject({ providers: [{ id: 'work', clientId: 'parley', clientSecret: '***' }] })
  expect(JSON.stringify(redact(config))).not.toContain('hunter2')
  expect(describeConfig(readConfig)[0]).toMatchObject({
    env: 'PARLEY_AUTH_PROVIDERS_<n>_ID',
    toml: 'auth.providers[].id',
    default: 'required',
  })
})
