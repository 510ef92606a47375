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
import { answerSeconds, providerFetch } from '../provider-fetch.ts'
import type { Provider, ProviderProfile } from '../../../domain/provider.ts'

/** Addresses of a provider. The issuer is its name in callbacks. */
export type Endpoints = { issuer: string; authorizeUrl: string; tokenUrl: string; apiUrl: string }

/** Reads a JSON document of the provider's API with the access token of the user. Throws {@link ProviderFailed}. */
export type ReadApi = (path: string) => Promise<unknown>

/** The differences between the OAuth types. */
export type OAuthType = {
  /** The addresses of an instance; undefined for the public service. */
  endpoints: (baseUrl: string | undefined) => Endpoints
  /** Identifies the user by an id that never changes and is never reused. */
  whoIs: (
    read: ReadApi,
    options: ProviderOptions,
  ) => Promise<{ subject: string; readProfile: () => Promise<ProviderProfile> }>
}

/** A provider that supports OAuth 2 and identifies the user through its own API. */
export function oauthProvider(settings: AuthProvider, type: OAuthType, now: () => Date): Provider {
  const { baseUrl, ...given } = settings.options
  const standard = type.endpoints(baseUrl?.replace(/\/+$/, ''))
  const authorizeUrl = given.authorizeUrl ?? standard.authorizeUrl
  const tokenUrl = given.tokenUrl ?? standard.tokenUrl
  const apiUrl = given.apiUrl?.replace(/\/+$/, '') ?? standard.apiUrl

  const configure = (signal: AbortSignal): Configuration => {
    const server = { issuer: standard.issuer, authorization_endpoint: authorizeUrl, token_endpoint: tokenUrl }
    const clocks = { [clockSkew]: Math.round((now().getTime() - Date.now()) / 1000), [clockTolerance]: 60 }
    const configuration = new Configuration(server, settings.clientId, clocks, ClientSecretPost(settings.clientSecret))
    const fetch = providerFetch(signal)
    configuration[customFetch] = async (url, options) => errorsAsErrors(await fetch(url, options))
    configuration.timeout = answerSeconds
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
        const { subject, readProfile } = await type.whoIs(
          reader(configuration, apiUrl, tokens.access_token),
          settings.options,
        )
        return { issuer: settings.id, subject, readProfile: async () => withoutEmail(settings, await readProfile()) }
      } catch (error) {
        throw providerFailure(error)
      }
    },
  }
}

function reader(configuration: Configuration, apiUrl: string, accessToken: string): ReadApi {
  return async (path) => {
    const headers = new Headers({ accept: 'application/json' })
    const url = new URL(apiUrl + path)
    const response = await fetchProtectedResource(configuration, accessToken, url, 'GET', null, headers)
    if (!response.ok) throw new ProviderFailed(`${path} of its API answered ${response.status}`)
    return response.json()
  }
}

/** Some providers refuse a code in a response with a success status. */
async function errorsAsErrors(response: Response): Promise<Response> {
  if (response.status !== 200 || !response.headers.get('content-type')?.includes('json')) return response
  const body: unknown = await response.clone().json()
  const refused = typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
  return refused ? new Response(JSON.stringify(body), { status: 400, headers: response.headers }) : response
}

/** Some providers return the address even if it was not requested. */
const withoutEmail = ({ requestEmail }: AuthProvider, profile: ProviderProfile): ProviderProfile =>
  requestEmail ? profile : { ...profile, verifiedEmail: '' }
