import type { CustomFetch } from 'openid-client'
import { measureOutgoing } from '@parley/runtime'
import { ProviderFailed } from './failures.ts'

/** For one request; the whole call may be aborted earlier. */
export const responseTimeoutSeconds = 5
const maxBytes = 1024 * 1024

/** Fails when the signal aborts it, after the timeout, and if the response is too large; follows no redirects. */
export function providerFetch(signal: AbortSignal): CustomFetch {
  return async (url, { signal: requestSignal, body, ...options }) => {
    const combined = AbortSignal.any([
      signal,
      AbortSignal.timeout(responseTimeoutSeconds * 1000),
      ...(requestSignal ? [requestSignal] : []),
    ])
    const request = { ...options, ...(body !== undefined && { body }), redirect: 'manual', signal: combined } as const
    const response = await measureOutgoing(
      'provider',
      () => fetch(url, request),
      (answer) => answer.status,
    )
    const { status, headers } = response
    const content = await bytesOf(response)
    return new Response(content.length > 0 ? content : null, { status, headers })
  }
}

async function bytesOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const body: AsyncIterable<Uint8Array> | null = response.body
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.byteLength
    if (length > maxBytes) throw new ProviderFailed('the provider sent more than 1 MiB')
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
