import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { measureOutgoing } from '@parley/runtime'
import { AddressRefused, assertAllowedHost, guardedLookup, ResolverBusy, type Network } from '@parley/outbound'
import { tooManyPages } from '../../errors.ts'
import { FetchRefused } from './failures.ts'
import { readBody } from './read-body.ts'

export type FetchOptions = {
  callerId: string
  accept: string
  maxBytes: number
  ifTooLong: 'truncate' | 'refuse'
  /** Whether to read a response with this content type. Default: any. */
  acceptsType?: (contentType: string) => boolean
  /** Limit for the request and all its redirects together. Default: 10 s. */
  timeoutMs?: number
}

export type Fetched = { url: URL; contentType: string; bytes: Buffer }

/**
 * Rejects with `FetchRefused` for a disallowed URL or response, with `resource_exhausted` if too many host names are
 * being resolved, and with other errors for a failed request.
 */
export type SafeFetch = (url: string, options: FetchOptions, signal: AbortSignal) => Promise<Fetched>

const maxRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])

export function safeFetch(network: Network): SafeFetch {
  const hop = async (url: URL, options: FetchOptions, signal: AbortSignal, hopsLeft: number): Promise<Fetched> => {
    const request = () => sendRequest(url, options, { ...network, signal })
    const response = await measureOutgoing('page', request, ({ statusCode: status }) => status)
    const { statusCode = 0, headers } = response
    const destroyAndThrow = (error: Error): never => {
      response.destroy()
      throw error
    }
    if (redirects.has(statusCode) && headers.location !== undefined) {
      response.destroy()
      if (hopsLeft === 0) throw new FetchRefused('redirects')
      return hop(parseHttpUrl(headers.location, url), options, signal, hopsLeft - 1)
    }
    if (statusCode !== 200) return destroyAndThrow(new Error(`status ${statusCode}`))
    const contentType = headers['content-type'] ?? ''
    if (options.acceptsType && !options.acceptsType(contentType)) return destroyAndThrow(new FetchRefused('type'))
    return { url, contentType, bytes: await readBody(response, options.maxBytes, options.ifTooLong) }
  }
  return async (url, options, signal) => {
    const untilTimeout = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs ?? 10_000)])
    return hop(parseHttpUrl(url), options, untilTimeout, maxRedirects)
  }
}

/** Accepts an http or https URL without credentials; a relative one needs a `base`. Throws `FetchRefused`. */
export function parseHttpUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) throw new FetchRefused('url')
  return url
}

async function sendRequest(
  url: URL,
  { accept, callerId }: FetchOptions,
  { signal, ...network }: Network & { signal: AbortSignal },
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  try {
    assertAllowedHost(url, network)
    return await new Promise((resolve, reject) => {
      request(url, {
        signal,
        agent: false,
        headers: { accept, 'accept-encoding': 'identity', 'user-agent': 'Parley' },
        lookup: guardedLookup(network, callerId),
      })
        .on('response', resolve)
        .on('error', reject)
        // An unrequested switch of protocols emits neither a response nor an error.
        .on('close', () => reject(new Error('the connection was closed without a response')))
        .end()
    })
  } catch (error) {
    if (error instanceof ResolverBusy) throw tooManyPages()
    throw error instanceof AddressRefused ? new FetchRefused('private') : error
  }
}
