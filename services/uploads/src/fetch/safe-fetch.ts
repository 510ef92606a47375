import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { ConnectError } from '@connectrpc/connect'
import { addressIsPrivate, badImageUrl, imageCannotBeFetched, imageIsTooLarge, tooManyRedirects } from '../errors.ts'
import { guardedLookup, PrivateAddress } from './lookup.ts'
import { isPublicAddress } from './public-address.ts'

/** Fetches an image from elsewhere. Throws `invalid_argument` for what may not be fetched, `unavailable` for what cannot. */
export type SafeFetch = (url: string, signal: AbortSignal) => Promise<Buffer>

type Options = {
  /** For tests and closed networks: any address may be asked. */
  allowPrivate: boolean
  maxBytes?: number
  timeoutMs?: number
}

const mostRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])

export function safeFetch({ allowPrivate, maxBytes = 5 * 1024 * 1024, timeoutMs = 10_000 }: Options): SafeFetch {
  const hop = async (url: URL, signal: AbortSignal, hopsLeft: number): Promise<Buffer> => {
    const answer = await ask(url, signal, allowPrivate)
    const { statusCode = 0, headers } = answer
    if (redirects.has(statusCode) && headers.location !== undefined) {
      answer.destroy()
      if (hopsLeft === 0) throw tooManyRedirects()
      return hop(checkedUrl(headers.location, url), signal, hopsLeft - 1)
    }
    if (statusCode !== 200) {
      answer.destroy()
      throw imageCannotBeFetched()
    }
    return readAtMost(answer, maxBytes)
  }
  return async (address, signal) => {
    try {
      return await hop(checkedUrl(address), AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]), mostRedirects)
    } catch (error) {
      if (error instanceof PrivateAddress) throw addressIsPrivate()
      throw error instanceof ConnectError ? error : imageCannotBeFetched(error)
    }
  }
}

function checkedUrl(address: string, base?: URL): URL {
  const url = URL.canParse(address, base?.href) ? new URL(address, base) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) throw badImageUrl()
  return url
}

/** One request, to an address that was checked after it was looked up: a name cannot point elsewhere in between. */
function ask(url: URL, signal: AbortSignal, allowPrivate: boolean): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw addressIsPrivate()
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    request(url, {
      signal,
      agent: false,
      headers: { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'Parley' },
      ...(!allowPrivate && { lookup: guardedLookup }),
    })
      .on('response', resolve)
      .on('error', reject)
      .end()
  })
}

async function readAtMost(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length
    // Leaving the loop destroys the answer.
    if (length > maxBytes) throw imageIsTooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
