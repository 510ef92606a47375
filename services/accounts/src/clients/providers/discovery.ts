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
/** How often it may be asked because something did not fit. */
const doubtAfterMs = 60_000
/** How far the clocks may be apart, in seconds. */
const clocksApart = 60

/**
 * What an issuer says of itself, kept for an hour, and longer while it does not answer. Every sign-in gets a configuration
 * of its own and with it the issuer's keys of now: a key that was replaced is never looked for.
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

  /** The issuer does not answer: the next sign-in asks anew, and does not begin while that lasts. */
  forget(): void {
    this.#document = undefined
  }

  /** What is kept may not hold any more: once it is a minute old, the next sign-in asks anew. */
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

/** In the body if the issuer takes it there: fewer get that wrong. Issuers that do not say take it in the header. */
function secretOf(clientSecret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_post') ? post : basic)(server, ...rest)
  }
}
