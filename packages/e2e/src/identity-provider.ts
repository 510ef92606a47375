import { freePort } from '@parley/local/infrastructure'
import { startOidcProvider, type OidcProvider } from '@parley/testkit/oidc-provider'
import { fleet } from './fleet.ts'

export const providerId = 'corp'

export const providerLabel = 'Corporate account'

const portVariable = 'PARLEY_E2E_PROVIDER_PORT'
const client = { client_id: 'parley', client_secret: 'the secret of the client' }

export async function providerSettings(): Promise<NodeJS.ProcessEnv> {
  process.env[portVariable] = String(await freePort())
  return {
    PARLEY_AUTH_PROVIDERS_0_ID: providerId,
    PARLEY_AUTH_PROVIDERS_0_TYPE: 'oidc',
    PARLEY_AUTH_PROVIDERS_0_LABEL: providerLabel,
    PARLEY_AUTH_PROVIDERS_0_CLIENT_ID: client.client_id,
    PARLEY_AUTH_PROVIDERS_0_CLIENT_SECRET: client.client_secret,
    PARLEY_AUTH_PROVIDERS_0_ISSUER_URL: issuerUrl(),
  }
}

/** Returns an empty text if the tests run against an existing fleet, which has no such provider. */
export function issuerUrl(): string {
  const port = process.env[portVariable]
  return port === undefined ? '' : `http://127.0.0.1:${port}`
}

/** Accepts any name and reports an e-mail address at corp.example, unless `people` sets other claims. */
export async function startIdentityProvider(): Promise<OidcProvider> {
  const provider = await startOidcProvider([], Number(process.env[portVariable]))
  const callbacks = [`/auth/providers/${providerId}/callback`, '/auth/oidc/callback']
  const [site] = fleet().gateways
  provider.configure({
    clients: [{ ...client, redirect_uris: callbacks.map((path) => site + path) }],
    findAccount: (_, id) => {
      const common = { sub: id, email: `${id}@corp.example`, email_verified: true, preferred_username: id }
      return { accountId: id, claims: () => ({ ...common, ...provider.people.get(id) }) }
    },
  })
  return provider
}
