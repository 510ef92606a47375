import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Configuration } from 'oidc-provider'

const clientId = 'parley'
const clientSecret = 'the secret of the tested fleet'

/** Id under which the tested fleet knows the provider. */
export const providerId = 'corp'

/** Environment variable that names the issuer; not there when the fleet was given. */
export const issuerVariable = 'PARLEY_E2E_ISSUER'

/** A real OpenID Connect provider, at which anybody is whom they say. */
export type IdentityProvider = AsyncDisposable & {
  issuer: string
  /** What tells a fleet of it. */
  env: NodeJS.ProcessEnv
  /** Lets a fleet at this address use it. */
  serve: (publicUrl: string) => Promise<void>
}

/** Starts it; it answers once it knows whom it serves. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  let answer: RequestListener = (_, response) => response.writeHead(503).end()
  const server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    env: {
      PARLEY_AUTH_PROVIDERS_0_ID: providerId,
      PARLEY_AUTH_PROVIDERS_0_TYPE: 'oidc',
      PARLEY_AUTH_PROVIDERS_0_LABEL: 'Corporate account',
      PARLEY_AUTH_PROVIDERS_0_CLIENT_ID: clientId,
      PARLEY_AUTH_PROVIDERS_0_CLIENT_SECRET: clientSecret,
      PARLEY_AUTH_PROVIDERS_0_ISSUER_URL: issuer,
    },
    async serve(publicUrl) {
      const handle = await quietly(async () => {
        const { Provider } = await import('oidc-provider')
        return new Provider(issuer, settings(publicUrl)).callback()
      })
      answer = (request, response) => void handle(request, response)
    },
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

function settings(publicUrl: string): Configuration {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const callbacks = [`/auth/providers/${providerId}/callback`, '/auth/oidc/callback'].map((path) => publicUrl + path)
  return {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: callbacks }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'key', use: 'sig', alg: 'RS256' }] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@corp.example`, email_verified: true, preferred_username: id }),
    }),
    pkce: { required: () => true },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 60, Interaction: 600, Session: 600, Grant: 600 },
  }
}

/** It warns whoever does not run it for good. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { warn } = console
  console.warn = () => undefined
  try {
    return await work()
  } finally {
    console.warn = warn
  }
}
