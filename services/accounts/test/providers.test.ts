import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import type { AuthProvider } from '@parley/config'
import { providerFetch } from '../src/clients/providers/provider-fetch.ts'
import { createProviders } from '../src/clients/providers/providers.ts'

const none = {
  baseUrl: undefined,
  authorizeUrl: undefined,
  tokenUrl: undefined,
  apiUrl: undefined,
  confirmedIsVerified: false,
}
const provider = (id: string, type: AuthProvider['type'], more: Partial<AuthProvider> = {}): AuthProvider => ({
  ...{ id, type, label: id, clientId: 'c', clientSecret: 's', scopes: ['openid'], requestEmail: true },
  ...{ autoProvision: true, issuerUrl: type === 'oidc' ? `https://${id}.example.org` : undefined },
  options: none,
  ...more,
})
const providersOf = (...all: AuthProvider[]) => createProviders(all, 'https://chat.example.org/', () => new Date())
const callbackUrl = (providers: ReturnType<typeof providersOf>, id: string) => providers.route(id)?.callbackUrl

const servers = new Set<ReturnType<typeof createServer>>()
afterEach(() => {
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
  servers.clear()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.add(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const request = { method: 'GET', headers: {}, body: undefined, redirect: 'manual' } as const

test('the callback URL contains the id of the provider', () => {
  const providers = providersOf(provider('my:work', 'github'))
  expect(callbackUrl(providers, 'my:work')).toBe('https://chat.example.org/auth/providers/my%3Awork/callback')
  expect(providers.route('other')).toBeUndefined()
  expect(providers.route('')).toBeUndefined()
})

test('the aliases "" and "oidc" lead to the oidc provider if there is exactly one', () => {
  const [work, other, code] = [provider('corp', 'oidc'), provider('other', 'oidc'), provider('code', 'github')]
  const one = providersOf(code, work)
  for (const alias of ['', 'oidc']) {
    expect(one.route(alias)).toMatchObject({ provider: { settings: { id: 'corp' } }, key: '' })
    expect(callbackUrl(one, alias)).toBe('https://chat.example.org/auth/oidc/callback')
    expect(providersOf(work, other).route(alias)).toBeUndefined()
    expect(providersOf(code).route(alias)).toBeUndefined()
  }
  // An id takes precedence over an alias.
  expect(callbackUrl(providersOf(provider('oidc', 'github'), work), 'oidc')).toBe(
    'https://chat.example.org/auth/providers/oidc/callback',
  )
})

const attempt = { redirectUri: 'https://chat.example.org/back', state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) }

test.each([
  ['github', none, 'https://github.com/login/oauth/authorize'],
  ['gitlab', none, 'https://gitlab.com/oauth/authorize'],
  ['google', none, 'https://accounts.google.com/o/oauth2/v2/auth'],
  ['discord', none, 'https://discord.com/oauth2/authorize'],
  ['gitlab', { ...none, baseUrl: 'https://git.example.org/lab/' }, 'https://git.example.org/lab/oauth/authorize'],
  ['github', { ...none, authorizeUrl: 'https://x.example.org/go' }, 'https://x.example.org/go'],
] as const)('%s with %j sends browsers to %s', async (type, options, expected) => {
  const { provider: at } = providersOf(provider('x', type, { options })).route('x') ?? {}
  const url = await at?.authorizeUrl(attempt, AbortSignal.timeout(10_000))
  expect(url && url.origin + url.pathname).toBe(expected)
  expect(url?.searchParams.get('scope')).toBe('openid')
})

test('a request to a provider that does not respond is aborted', async () => {
  const [mute, slow] = [await serve(() => undefined), await serve((_, response) => response.write('{'))]
  for (const url of [mute, slow])
    await expect(providerFetch(AbortSignal.timeout(100))(url, request)).rejects.toThrow(/abort|timeout/i)
})

test('an endless response of a provider is refused', async () => {
  const endless = await serve((_, response) => {
    const more = () => {
      while (response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  })
  await expect(providerFetch(AbortSignal.timeout(20_000))(endless, request)).rejects.toThrow('more than 1 MiB')
})

test('redirects of a provider are not followed', async () => {
  const redirecting = await serve((_, response) =>
    response.writeHead(302, { location: 'https://evil.example.org' }).end(),
  )
  expect((await providerFetch(AbortSignal.timeout(20_000))(redirecting, request)).status).toBe(302)
})
