import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { countOutgoing } from '@parley/runtime'
import { AddressRefused, assertAllowedHost, guardedLookup, ResolverBusy, type Network } from '@parley/outbound'
import { tooManyPages } from '../../errors.ts'
import { FetchRefused } from './failures.ts'
import { readBody } from './read-body.ts'

/** Options of a fetch. */
export type Wanted = {
  /** Id of the user on whose behalf it is fetched. */
  callerId: string
  accept: string
  maxBytes: number
  /** What to do with a longer body. */
  longer: 'cut' | 'refuse'
  /** Whether to read a response with this content type. */
  takes?: (contentType: string) => boolean
  timeoutMs?: number
}

/** The response after redirects. */
export type Fetched = { url: URL; contentType: string; bytes: Buffer }

/**
 * Fetches from other servers. Rejects with `FetchRefused` for a disallowed address or response, with another error for
 * a failed request, and with `resource_exhausted` if too many names are being resolved, regardless of the address.
 */
export type SafeFetch = (url: string, wanted: Wanted, signal: AbortSignal) => Promise<Fetched>

const maxRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])

/** Connects only to allowed addresses, at each redirect. */
export function safeFetch(network: Network): SafeFetch {
  const hop = async (url: URL, wanted: Wanted, signal: AbortSignal, hopsLeft: number): Promise<Fetched> => {
    const request = () => sendRequest(url, wanted, { ...network, signal })
    const answer = await countOutgoing('page', request, ({ statusCode: status }) => status)
    const { statusCode = 0, headers } = answer
    const refuse = (error: Error): never => {
      answer.destroy()
      throw error
    }
    if (redirects.has(statusCode) && headers.location !== undefined) {
      answer.destroy()
      if (hopsLeft === 0) throw new FetchRefused('redirects')
      return hop(parseHttpUrl(headers.location, url), wanted, signal, hopsLeft - 1)
    }
    if (statusCode !== 200) return refuse(new Error(`answered ${statusCode}`))
    const contentType = headers['content-type'] ?? ''
    if (wanted.takes && !wanted.takes(contentType)) return refuse(new FetchRefused('type'))
    return { url, contentType, bytes: await readBody(answer, wanted.maxBytes, wanted.longer) }
  }
  return async (address, wanted, signal) => {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(wanted.timeoutMs ?? 10_000)])
    return hop(parseHttpUrl(address), wanted, inTime, maxRedirects)
  }
}

/** An absolute http or https URL without credentials. Throws `FetchRefused`. */
export function parseHttpUrl(address: string, base?: URL): URL {
  const url = URL.canParse(address, base?.href) ? new URL(address, base) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) throw new FetchRefused('address')
  return url
}

/** Sends one request; the resolved address is checked. */
async function sendRequest(
  url: URL,
  { accept, callerId }: Wanted,
  { signal, ...network }: Network & { signal: AbortSignal },
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  try {
    assertAllowedHost(url, network)
    return await new Promise((answer, reject) => {
      request(url, {
        signal,
        agent: false,
        headers: { accept, 'accept-encoding': 'identity', 'user-agent': 'Parley' },
        lookup: guardedLookup(network, callerId),
      })
        .on('response', answer)
        .on('error', reject)
        // An unrequested switch of protocols emits neither a response nor an error.
        .on('close', () => reject(new Error('the connection was closed without an answer')))
        .end()
    })
  } catch (error) {
    if (error instanceof ResolverBusy) throw tooManyPages()
    throw error instanceof AddressRefused ? new FetchRefused('private') : error
  }
}
