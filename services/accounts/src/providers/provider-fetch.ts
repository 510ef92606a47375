import type { CustomFetch } from 'openid-client'
import { ProviderFailed } from './failures.ts'

/** How long one answer of a provider may take, in seconds; the signal of the whole call may end it earlier. */
export const answerSeconds = 5
/** Documents of providers are small; more than this is not read. */
const maxBytes = 1024 * 1024

/** `fetch` for talking to providers: ends with the signal and reads no endless answer. */
export function providerFetch(signal: AbortSignal): CustomFetch {
  return async (url, { signal: ofRequest, ...options }) => {
    const until = AbortSignal.any([signal, AbortSignal.timeout(answerSeconds * 1000), ...(ofRequest ? [ofRequest] : [])])
    const response = await fetch(url, { ...options, redirect: 'manual', signal: until })
    const { status, headers } = response
    const body = await bytesOf(response)
    return new Response(body.length > 0 ? body : null, { status, headers })
  }
}

async function bytesOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > maxBytes) throw new ProviderFailed('the provider sent more than 1 MiB')
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
