import { BlockList, isIP, isIPv6 } from 'node:net'
import type { ReadHeader } from '@parley/auth'
import { isPublicAddress } from '@parley/outbound'

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
  const trusted = new BlockList()
  for (const entry of proxies) trust(trusted, entry)
  return (address) => trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** The network of the other end of a connection; undefined for a proxy, which brings the connections of many. */
export function networkOfPeer(peer: string | undefined, isProxy: (address: string) => boolean): string | undefined {
  const address = plainAddress(peer ?? '') ?? ''
  return isProxy(address) ? undefined : networkOf(address)
}

/** What limits count by: an IPv4 address, or the /64 of an IPv6 address, of which one customer has all. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ? tail.split(':') : [])]
  return `${all.slice(0, 4).join(':')}::/64`
}

/** An address without port, brackets and zone, IPv4 in its own notation; undefined for anything else. */
function plainAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const [address = ''] = bare.replace(/^::ffff:(?=[\d.]+$)/i, '').split('%')
  if (isIP(address) === 0) return undefined
  return isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
}

function trust(trusted: BlockList, entry: string): void {
  const [written = '', bits] = entry.split('/')
  const address = plainAddress(written)
  if (address === undefined) throw new Error(`trusted proxy ${entry} is neither an address nor a network`)
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  if (bits === undefined) trusted.addAddress(address, family)
  else trusted.addSubnet(address, Number(bits), family)
}
