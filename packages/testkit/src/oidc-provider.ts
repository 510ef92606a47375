import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { freePort } from '@parley/local/infrastructure'
import type { Configuration } from 'oidc-provider'

/** Answers a request; false leaves it to the provider. */
type Instead = (request: IncomingMessage, response: ServerResponse) => unknown

/** The people that the provider knows, by login, which is also their subject. */
type Claims = Record<string, unknown>

/** The provider, and what can be done to it. */
export type OidcProvider = AsyncDisposable & {
  issuer: string
  clientId: string
  clientSecret: string
  people: Map<string, Claims>
  /** Paths requested so far. */
  requests: string[]
  /** Puts a new signing key in the place of the present one. */
  rotate: (kid: string) => void
  /** Another instance of the same address, with other settings. */
  configure: (settings: Configuration) => void
  /** Answers in the provider's place whatever it does not answer false to; undefined: the provider itself again. */
  answer: (instead: Instead | undefined) => void
  stop: () => Promise<void>
  start: () => Promise<void>
}

const clientId = 'parley'
const clientSecret = 'the secret of the client'

/**
 * A real OpenID Connect provider on the loopback, with the pages it has for developers: any login and password will do. It
 * knows one client, which it sends back to the callbacks, and uses a free port unless one is given.
 */
export async function startOidcProvider(callbacks: string[], at = 0): Promise<OidcProvider> {
  const { Provider } = await quietly(() => import('oidc-provider'))
  const people = new Map<string, Claims>()
  const requests: string[] = []
  let answering: RequestListener = (_, response) => response.writeHead(503).end()
  let instead: Instead | undefined
  const server = createServer((request, response) => {
    requests.push(new URL(request.url ?? '/', 'http://provider').pathname)
    if (!instead || instead(request, response) === false) answering(request, response)
  })
  const port = at || (await freePort())
  await listen(server, port)
  const issuer = `http://127.0.0.1:${port}`

  let keys = [signingKey('first')]
  let settings: Configuration = {}
  const renew = () =>
    quietly(() => {
      const provider = new Provider(issuer, { ...standard(callbacks, people), jwks: { keys }, ...settings })
      const handle = provider.callback()
      answering = (request, response) => void handle(request, response)
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
    answer(given) {
      instead = given
    },
    stop: () => close(server),
    start: () => listen(server, port),
    [Symbol.asyncDispose]: () => close(server),
  }
}

const cookieKey = randomBytes(16).toString('hex')

function standard(callbacks: string[], people: Map<string, Claims>): Configuration {
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

/** Suppresses the warnings that the provider prints outside production and on other runtimes. */
function quietly<T>(work: () => T): T {
  const { warn } = console
  console.warn = () => undefined
  const restore = () => (console.warn = warn)
  const done = work()
  if (done instanceof Promise) void done.then(restore, restore)
  else restore()
  return done
}
