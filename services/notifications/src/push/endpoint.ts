import { AddressRefused, assertAllowedHost, guardedLookup, type Network } from '@parley/outbound'
import { badEndpoint, endpointIsPrivate } from '../push-errors.ts'

/** Which push services may be asked, and whether without TLS. */
export type PushNetwork = Network & { allowPlain: boolean }

const longestLookupMs = 1000

/** An endpoint as it is stored; undefined when it is no address. */
export function parseEndpoint(endpoint: string): URL | undefined {
  if (!URL.canParse(endpoint)) return undefined
  const url = new URL(endpoint)
  url.hash = ''
  return url
}

/** An endpoint that may be stored. Throws `invalid_argument` for others; asks nobody. */
export function checkedEndpoint(endpoint: string, { allowPlain }: Pick<PushNetwork, 'allowPlain'>): URL {
  const url = parseEndpoint(endpoint)
  const isTaken = url?.protocol === 'https:' || (allowPlain && url?.protocol === 'http:')
  if (!url || !isTaken || url.username || url.password) throw badEndpoint()
  return url
}

/**
 * Refuses an endpoint that leads into the own network. A name that cannot be looked up now is let through: it is looked up
 * again whenever a push leaves.
 */
export async function assertPublicEndpoint(url: URL, network: PushNetwork): Promise<void> {
  try {
    assertAllowedHost(url, network)
    await lookUp(url.hostname, network)
  } catch (error) {
    if (error instanceof AddressRefused) throw endpointIsPrivate()
  }
}

function lookUp(hostname: string, network: PushNetwork): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(resolve, longestLookupMs)
    guardedLookup(network)(hostname, { all: true }, (error) => {
      clearTimeout(late)
      if (error) reject(error)
      else resolve()
    })
  })
}
