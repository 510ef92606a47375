import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { inNetworks } from './networks.ts'

/** IPv4 networks that are not the public internet (IANA special-purpose registry, multicast, reserved). */
const notPublic = new BlockList()
for (const network of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Metadata and DNS service of a cloud provider.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]) {
  const [address = '', bits] = network.split('/')
  notPublic.addSubnet(address, Number(bits), 'ipv4')
}

const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
/** Ranges of 2000::/3 that are not public: protocols, documentation, and IPv4 addresses in IPv6 (6to4). */
const notPublic6 = new BlockList()
for (const [address, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  notPublic6.addSubnet(address, bits, 'ipv6')

/**
 * Returns a function that tells whether an address is public and in none of the given networks, which are local
 * networks with public addresses, as in IPv6 clusters. Throws for an entry that is neither an address nor a network.
 */
export function publicExcept(networks: readonly string[]): (address: string) => boolean {
  const isOwn = inNetworks(networks)
  return (address) => isPublicAddress(address) && !isOwn(address)
}

/** Whether a string is a public IP address; false for names and anything else. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, 'ipv4')
  return isIPv6(address) && global6.check(address, 'ipv6') && !notPublic6.check(address, 'ipv6')
}
