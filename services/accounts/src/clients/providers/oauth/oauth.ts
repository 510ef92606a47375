import type { AuthProvider, ProviderOptions } from '@parley/config'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  clockSkew,
  clockTolerance,
  ClientSecretPost,
  Configuration,
  customFetch,
  fetchProtectedResource,
} from 'openid-client'
import { ProviderFailed, providerFailure } from '../failures.ts'
import { responseTimeoutSeconds, providerFetch } from '../provider-fetch.ts'
import type { Provider, ProviderProfile } from '../../../domain/provider.ts'

/** `issuer` is the value of `iss` in callbacks, not the issuer of identities. */
export type Endpoints = { issuer: string; authorizeUrl: string; tokenUrl: string; apiUrl: string }

/**
 * Reads JSON. Throws {@link ProviderFailed} for an error status, and other errors if the request fails or the document
 * is not JSON.
 */
export type ReadApi = (path: string) => Promise<unknown>

export type OAuthType = {
  /** Of the instance at `baseUrl`; without it, of the public service. */
  endpoints: (baseUrl: string | undefined) => Endpoints
  /** The subject must never change and never be reused. */
  getUser: (
    read: ReadApi,
    options: ProviderOptions,
  ) => Promise<{ subject: string; readProfile: () => Promise<ProviderProfile> }>
}

/** The issuer of the identities is the provider's id. */
export function oauthProvider(settings: AuthProvider, type: OAuthType, now: () => Date): Provider {
  const { baseUrl, ...overrides } = settings.options
  const standard = type.endpoints(baseUrl?.replace(/\/+$/, ''))
  const authorizeUrl = overrides.authorizeUrl ?? standard.authorizeUrl
  const tokenUrl = overrides.tokenUrl ?? standard.tokenUrl
  const apiUrl = overrides.apiUrl?.replace(/\/+$/, '') ?? standard.apiUrl

  const configure = (signal: AbortSignal): Configuration => {
    const server = { issuer: standard.issuer, authorization_endpoint: authorizeUrl, token_endpoint: tokenUrl }
    const clocks = { [clockSkew]: Math.round((now().getTime() - Date.now()) / 1000), [clockTolerance]: 60 }
    const configuration = new Configuration(server, settings.clientId, clocks, ClientSecretPost(settings.clientSecret))
    const fetch = providerFetch(signal)
    configuration[customFetch] = async (url, options) => withErrorStatus(await fetch(url, options))
    configuration.timeout = responseTimeoutSeconds
    if ([authorizeUrl, tokenUrl, apiUrl].some((url) => url.startsWith('http:'))) allowInsecureRequests(configuration)
    return configuration
  }

  return {
    settings,
    async authorizeUrl({ redirectUri, state, codeVerifier }, signal) {
      return buildAuthorizationUrl(configure(signal), {
        redirect_uri: redirectUri,
        ...(settings.scopes.length > 0 && { scope: settings.scopes.join(' ') }),
        state,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      })
    },
    async identify(callback, { redirectUri, state, codeVerifier }, signal) {
      try {
        const configuration = configure(signal)
        const returned = new URL(redirectUri)
        returned.search = callback.toString()
        const checks = { expectedState: state, pkceCodeVerifier: codeVerifier }
        const tokens = await authorizationCodeGrant(configuration, returned, checks)
        const { subject, readProfile } = await type.getUser(
          apiReader(configuration, apiUrl, tokens.access_token),
          settings.options,
        )
        return {
          issuer: settings.id,
          subject,
          readProfile: async () => withoutUnrequestedEmail(settings, await readProfile()),
        }
      } catch (error) {
        throw providerFailure(error)
      }
    },
  }
}

function apiReader(configuration: Configuration, apiUrl: string, accessToken: string): ReadApi {
  return async (path) => {
    const headers = new Headers({ accept: 'application/json' })
    const url = new URL(apiUrl + path)
    const response = await fetchProtectedResource(configuration, accessToken, url, 'GET', null, headers)
    if (!response.ok) throw new ProviderFailed(`${path} of the provider's API returned ${response.status}`)
    return response.json()
  }
}

/** Some providers return OAuth errors with status 200. */
async function withErrorStatus(response: Response): Promise<Response> {
  if (response.status !== 200 || !response.headers.get('content-type')?.includes('json')) return response
  const body: unknown = await response.clone().json()
  const refused = typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
  return refused ? new Response(JSON.stringify(body), { status: 400, headers: response.headers }) : response
}

/** Some providers return an address that was not requested. */
const withoutUnrequestedEmail = ({ requestEmail }: AuthProvider, profile: ProviderProfile): ProviderProfile =>
  requestEmail ? profile : { ...profile, verifiedEmail: '' }
