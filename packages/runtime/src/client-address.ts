import { isIP, isIPv6 } from 'node:net'
import { inNetworks, isPublicAddress } from '@parley/outbound'

type ReadHeader = (name: string) => string | undefined

/** `peer`: address of the client or proxy that opened the connection. */
export type ClientAddress = (peer: string | undefined, header: ReadHeader) => string

type Options = {
  /** Whether one of our processes forwarded the request; the peer then counts as a trusted proxy. */
  isForwarded?: (header: ReadHeader) => boolean
  /**
   * Called for each request with X-Forwarded-For from a private address that is not a trusted proxy: most likely a
   * proxy that was not configured. All clients behind it count as one.
   */
  onUnlistedProxy?: (address: string) => void
}

/**
 * Finds the client's address. If the peer is a trusted proxy, the addresses in X-Forwarded-For are read from the right,
 * because each proxy appends the address of its own peer. The first that is no trusted proxy is the client's; entries
 * to its left may be forged and are ignored. `proxies` are addresses or networks in CIDR notation. Throws like
 * {@link trustedProxies}.
 */
export function clientAddressBehind(
  proxies: readonly string[],
  { isForwarded = () => false, onUnlistedProxy }: Options = {},
): ClientAddress {
  const isTrusted = trustedProxies(proxies)
  return (peer, header) => {
    const peerAddress = plainAddress(peer ?? '') ?? ''
    const forwardedFor = header('x-forwarded-for')
    if (forwardedFor === undefined || peerAddress === '') return peerAddress
    const isProxy = isTrusted(peerAddress) || isForwarded(header)
    if (!isProxy && !isPublicAddress(peerAddress)) onUnlistedProxy?.(peerAddress)
    if (!isProxy) return peerAddress
    let address = peerAddress
    for (const entry of forwardedFor.split(',').reverse()) {
      const before = plainAddress(entry)
      if (before === undefined) break
      address = before
      if (!isTrusted(address)) break
    }
    return address
  }
}

/**
 * Returns a function that tells whether an address is that of a trusted proxy. Throws for an entry that is neither an
 * address nor a network, and for a network so wide that it includes clients: they could forge their address.
 */
export function trustedProxies(proxies: readonly string[]): (address: string) => boolean {
  const networks = proxies.map(plainNetwork)
  const isTrusted = inNetworks(networks)
  const wide = networks.find(isTooWide)
  if (wide !== undefined)
    throw new Error(
      `webserver.trusted_proxies: ${wide} is wider than any private network, so clients could forge their address; ` +
        'list only the addresses or networks of the proxies',
    )
  return isTrusted
}

/** Whether a network is wider than any private one (10.0.0.0/8, fc00::/7), or contains all of IPv4 (::/80). */
function isTooWide(network: string): boolean {
  const [address = '', bits] = network.split('/')
  if (bits !== undefined && Number(bits) < (isIPv6(address) ? 7 : 8)) return true
  const includes = inNetworks([network])
  return includes('0.0.0.0') && includes('255.255.255.255')
}

/**
 * An address without port, brackets and zone, and an IPv4 address in its own notation; undefined for any other text.
 */
export function plainAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const [address = ''] = bare.split('%')
  if (isIP(address) === 0) return undefined
  if (!isIPv6(address)) return address
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(canonical) ?? []
  return high === undefined || low === undefined ? canonical : mappedAddress(high, low)
}

const mappedAddress = (...groups: [string, string]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((bits) => [bits >> 8, bits & 0xff])
    .join('.')

function plainNetwork(entry: string): string {
  const [address = '', ...bits] = entry.split('/')
  return [plainAddress(address) ?? address, ...bits].join('/')
}
