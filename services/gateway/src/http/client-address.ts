import { isIP, isIPv6 } from 'node:net'
import type { ReadHeader } from '@parley/auth'
import { inNetworks, isPublicAddress } from '@parley/outbound'
import { networksOf, type Network } from '@parley/redis'

/** Where a request came from, given the other end of its connection. */
export type ClientAddress = (peer: string | undefined, header: ReadHeader) => string

/**
 * Finds the client's address. Proxies append to X-Forwarded-For whom they were asked by, so it is believed from the right
 * for as long as the one who said it is trusted (an address or a network in CIDR notation); what a client wrote there
 * itself counts for nothing. Throws for an entry that is neither. `onForgottenProxy` hears of each request with that header
 * that comes from a private address nobody named: most likely a proxy, with everybody behind it counted as one.
 */
export function clientAddressBehind(
  proxies: readonly string[],
  onForgottenProxy: (address: string) => void = () => undefined,
): ClientAddress {
  const isTrusted = trustedProxies(proxies)
  return (peer, header) => {
    let address = plainAddress(peer ?? '') ?? ''
    const forwardedFor = header('x-forwarded-for')
    if (forwardedFor === undefined || address === '') return address
    if (!isTrusted(address) && !isPublicAddress(address)) onForgottenProxy(address)
    for (const entry of forwardedFor.split(',').reverse()) {
      if (address === '' || !isTrusted(address)) break
      const before = plainAddress(entry)
      if (before === undefined) break
      address = before
    }
    return address
  }
}

/** Whether an address is that of a trusted proxy. Throws for an entry that is neither an address nor a network. */
export function trustedProxies(proxies: readonly string[]): (address: string) => boolean {
  return inNetworks(proxies.map(plainNetwork))
}

/** The networks of the other end of a connection; undefined for a proxy, which brings the connections of many. */
export function networksOfPeer(peer: string | undefined, isProxy: (address: string) => boolean): Network[] | undefined {
  const address = plainAddress(peer ?? '') ?? ''
  return isProxy(address) ? undefined : networksOf(address)
}

/** An address without port, brackets and zone, IPv4 in its own notation; undefined for anything else. */
function plainAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const [address = ''] = bare.replace(/^::ffff:(?=[\d.]+$)/i, '').split('%')
  if (isIP(address) === 0) return undefined
  return isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
}

/** The same network with its address as {@link plainAddress} writes it. */
function plainNetwork(entry: string): string {
  const [address = '', ...bits] = entry.split('/')
  return [plainAddress(address) ?? address, ...bits].join('/')
}
