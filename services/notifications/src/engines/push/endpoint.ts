import { AddressRefused, assertAllowedHost, type Network } from '@parley/outbound'
import { badEndpoint, endpointIsPrivate } from './errors.ts'

export type PushNetwork = Network & { allowPlain: boolean }

export function parseEndpoint(endpoint: string): URL | undefined {
  if (!URL.canParse(endpoint)) return undefined
  const url = new URL(endpoint)
  url.hash = ''
  return url
}

/**
 * Throws `invalid_argument` if pushes may not be sent there. The addresses of the host name are checked only when a
 * push is sent.
 */
export function parseAllowedEndpoint(endpoint: string, network: Pick<PushNetwork, 'allowPlain' | 'isAllowed'>): URL {
  const url = parseEndpoint(endpoint)
  const isAllowedProtocol = url?.protocol === 'https:' || (network.allowPlain && url?.protocol === 'http:')
  if (!url || !isAllowedProtocol || url.username || url.password) throw badEndpoint()
  try {
    assertAllowedHost(url, network)
  } catch (error) {
    throw error instanceof AddressRefused ? endpointIsPrivate() : error
  }
  return url
}
