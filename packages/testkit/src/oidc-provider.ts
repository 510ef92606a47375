import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { freePort } from '@parley/local/infrastructure'
import type { Configuration } from 'oidc-provider'

type Override = (request: IncomingMessage, response: ServerResponse) => unknown

type Claims = Record<string, unknown>

export type OidcProvider = AsyncDisposable & {
  issuer: string
  clientId: string
  clientSecret: string
  /** Claims of the people that the provider knows, by login, which is also their subject. */
  people: Map<string, Claims>
  requests: string[]
  rotate: (kid: string) => void
  /** Replaces the provider by one with other settings at the same address. */
  configure: (settings: Configuration) => void
  /** The handler answers instead of the provider, unless it returns false; undefined removes the handler. */
  intercept: (override: Override | undefined) => void
  stop: () => Promise<void>
  start: () => Promise<void>
}

const clientId = 'parley'
const clientSecret = 'the secret of the client'

/**
 * Starts a real OpenID Connect provider on loopback with its development pages, which accept any login and password. It
 * has one client with these callbacks, and listens on the port `at`; 0 takes a free one.
 */
export async function startOidcProvider(callbacks: string[], at = 0): Promise<OidcProvider> {
  const { Provider } = await withoutWarnings(() => import('oidc-provider'))
  const people = new Map<string, Claims>()
  const requests: string[] = []
  let handler: RequestListener = (_, response) => response.writeHead(503).end()
  let override: Override | undefined
  const server = createServer((request, response) => {
    requests.push(new URL(request.url ?? '/', 'http://provider').pathname)
    if (!override || override(request, response) === false) handler(request, response)
  })
  const port = at || (await freePort())
  await listen(server, port)
  const issuer = `http://127.0.0.1:${port}`

  let keys = [signingKey('first')]
  let settings: Configuration = {}
  const renew = () =>
    withoutWarnings(() => {
      const provider = new Provider(issuer, { ...defaultSettings(callbacks, people), jwks: { keys }, ...settings })
      const handle = provider.callback()
      handler = (request, response) => void handle(request, response)
    })
  renew()
  return {
    issuer,
    clientId,
    clientSecret,
    people,
    requests,
    rotate(kid) {
      keys = [signingKey(kid)]
      renew()
    },
    configure(given) {
      settings = given
      renew()
    },
    intercept(given) {
      override = given
    },
    stop: () => close(server),
    start: () => listen(server, port),
    [Symbol.asyncDispose]: () => close(server),
  }
}

const cookieKey = randomBytes(16).toString('hex')

function defaultSettings(callbacks: string[], people: Map<string, Claims>): Configuration {
  return {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: callbacks }],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'nickname', 'picture', 'preferred_username'],
    },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...people.get(id) }) }),
    pkce: { required: () => true },
    cookies: { keys: [cookieKey] },
    ttl: { AccessToken: 600, AuthorizationCode: 600, IdToken: 60, Interaction: 600, Session: 600, Grant: 600 },
  }
}

function signingKey(kid: string) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }
}

const listen = (server: Server, port: number) =>
  new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

const close = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** The provider warns outside production and on other runtimes. */
function withoutWarnings<T>(work: () => T): T {
  const { warn } = console
  console.warn = () => undefined
  const restore = () => (console.warn = warn)
  const done = work()
  if (done instanceof Promise) void done.then(restore, restore)
  else restore()
  return done
}
