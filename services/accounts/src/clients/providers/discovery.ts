import type { AuthProvider } from '@parley/config'
import {
  allowInsecureRequests,
  clockSkew,
  clockTolerance,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type ClientAuth,
  type Configuration,
  type CustomFetch,
} from 'openid-client'
import { logDiscoveryFailure } from '../../metrics.ts'
import { responseTimeoutSeconds, providerFetch } from './provider-fetch.ts'

const refreshAfterMs = 3600_000
/** The age at which metadata that is marked as stale is fetched again. */
const refreshStaleAfterMs = 60_000
const clockToleranceSeconds = 60

/**
 * An issuer's metadata, cached for an hour. After that it stays in use while new metadata cannot be fetched, unless
 * `forget` discards it. Every sign-in fetches the issuer's keys anew, so a replaced key is never used.
 */
export class Discovery {
  #document: { text: string; at: number } | undefined
  #stale = false
  readonly #settings: AuthProvider & { issuerUrl: string }
  readonly #now: () => Date

  constructor(settings: AuthProvider & { issuerUrl: string }, now: () => Date) {
    this.#settings = settings
    this.#now = now
  }

  async configuration(signal: AbortSignal): Promise<Configuration> {
    const fetch = providerFetch(signal)
    const cached = this.#document
    const at = this.#now().getTime()
    if (cached && at - cached.at < (this.#stale ? refreshStaleAfterMs : refreshAfterMs))
      return this.#configure(fetch, respondWith(cached.text))
    try {
      let text = ''
      const configuration = await this.#configure(fetch, async (url, options) => {
        const response = await fetch(url, options)
        text = await response.clone().text()
        return response
      })
      this.#document = { text, at }
      this.#stale = false
      return configuration
    } catch (error) {
      if (!cached) throw error
      logDiscoveryFailure(this.#settings.id, error)
      return this.#configure(fetch, respondWith(cached.text))
    }
  }

  /** Call this if the issuer is unavailable. The next sign-in fetches the metadata again, and fails if it cannot. */
  forget(): void {
    this.#document = undefined
  }

  /** Call this if the metadata may be outdated. The next sign-in fetches it again if it is more than a minute old. */
  markStale(): void {
    this.#stale = true
  }

  async #configure(fetch: CustomFetch, fetchDocument: CustomFetch): Promise<Configuration> {
    const { issuerUrl, clientId, clientSecret } = this.#settings
    const issuer = new URL(issuerUrl)
    const clocks = {
      [clockSkew]: Math.round((this.#now().getTime() - Date.now()) / 1000),
      [clockTolerance]: clockToleranceSeconds,
    }
    const configuration = await discovery(issuer, clientId, clocks, clientAuth(clientSecret), {
      [customFetch]: fetchDocument,
      timeout: responseTimeoutSeconds,
      execute: [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
    })
    configuration[customFetch] = fetch
    return configuration
  }
}

const respondWith =
  (text: string): CustomFetch =>
  () =>
    Promise.resolve(new Response(text, { headers: { 'content-type': 'application/json' } }))

/**
 * Sends the client secret in the body if the issuer supports that, because issuers implement the body correctly more
 * often than the header. An issuer that does not list its methods expects the header.
 */
function clientAuth(clientSecret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_post') ? post : basic)(server, ...rest)
  }
}
