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
import { discoveryRefused } from '../../metrics.ts'
import { answerSeconds, providerFetch } from './provider-fetch.ts'

const refreshAfterMs = 3600_000
/** Minimum interval of requests caused by an unexpected response. */
const doubtAfterMs = 60_000
/** Tolerated clock difference, in seconds. */
const clocksApart = 60

/**
 * An issuer's metadata, cached for an hour, and longer while the issuer does not answer. Every sign-in gets a new
 * configuration with the issuer's current keys, so a replaced key is never used.
 */
export class Discovery {
  #document: { text: string; at: number } | undefined
  #doubted = false
  readonly #settings: AuthProvider & { issuerUrl: string }
  readonly #now: () => Date

  constructor(settings: AuthProvider & { issuerUrl: string }, now: () => Date) {
    this.#settings = settings
    this.#now = now
  }

  async configuration(signal: AbortSignal): Promise<Configuration> {
    const fetch = providerFetch(signal)
    const kept = this.#document
    const at = this.#now().getTime()
    if (kept && at - kept.at < (this.#doubted ? doubtAfterMs : refreshAfterMs))
      return this.#configure(fetch, answering(kept.text))
    try {
      let text = ''
      const configuration = await this.#configure(fetch, async (url, options) => {
        const response = await fetch(url, options)
        text = await response.clone().text()
        return response
      })
      this.#document = { text, at }
      this.#doubted = false
      return configuration
    } catch (error) {
      if (!kept) throw error
      discoveryRefused(this.#settings.id, error)
      return this.#configure(fetch, answering(kept.text))
    }
  }

  /**
   * To be called when the issuer does not answer: the next sign-in fetches the metadata again, and fails if that fails.
   */
  forget(): void {
    this.#document = undefined
  }

  /**
   * To be called when the cached metadata may be outdated: the next sign-in fetches it again if it is over a minute
   * old.
   */
  doubt(): void {
    this.#doubted = true
  }

  async #configure(fetch: CustomFetch, fetchDocument: CustomFetch): Promise<Configuration> {
    const { issuerUrl, clientId, clientSecret } = this.#settings
    const issuer = new URL(issuerUrl)
    const clocks = {
      [clockSkew]: Math.round((this.#now().getTime() - Date.now()) / 1000),
      [clockTolerance]: clocksApart,
    }
    const configuration = await discovery(issuer, clientId, clocks, secretOf(clientSecret), {
      [customFetch]: fetchDocument,
      timeout: answerSeconds,
      execute: [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
    })
    configuration[customFetch] = fetch
    return configuration
  }
}

const answering =
  (text: string): CustomFetch =>
  () =>
    Promise.resolve(new Response(text, { headers: { 'content-type': 'application/json' } }))

/**
 * Sends the secret in the body if the issuer supports that, because fewer issuers implement it wrongly. An issuer that
 * does not list its methods expects the secret in the header.
 */
function secretOf(clientSecret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_post') ? post : basic)(server, ...rest)
  }
}
