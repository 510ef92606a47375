import { AddressRefused, assertAllowedHost, type Network } from '@parley/outbound'
import { badEndpoint, endpointIsPrivate } from './errors.ts'

/** The allowed push services, and whether TLS is optional. */
export type PushNetwork = Network & { allowPlain: boolean }

/** Normalises an endpoint; undefined when it is not a valid address. */
export function parseEndpoint(endpoint: string): URL | undefined {
  if (!URL.canParse(endpoint)) return undefined
  const url = new URL(endpoint)
  url.hash = ''
  return url
}

/**
 * An endpoint that may be stored. Throws `invalid_argument` for others. Does not resolve the host name; its addresses
 * are checked whenever a push is sent.
 */
export function checkedEndpoint(endpoint: string, network: Pick<PushNetwork, 'allowPlain' | 'isAllowed'>): URL {
  const url = parseEndpoint(endpoint)
  const isTaken = url?.protocol === 'https:' || (network.allowPlain && url?.protocol === 'http:')
  if (!url || !isTaken || url.username || url.password) throw badEndpoint()
  try {
    assertAllowedHost(url, network)
  } catch (error) {
    throw error instanceof AddressRefused ? endpointIsPrivate() : error
  }
  return url
}
