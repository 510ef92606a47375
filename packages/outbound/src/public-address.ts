import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { inNetworks } from './networks.ts'

/** IPv4 networks that are not the public internet (IANA special-purpose registry, multicast, reserved). */
const notPublic = new BlockList()
for (const network of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Of a cloud provider: what its machines ask for names and credentials.
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

/** Of IPv6 one network is public, less what leads into IPv4 or is for documentation. */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
const notPublic6 = new BlockList()
for (const [address, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  notPublic6.addSubnet(address, bits, 'ipv6')

/**
 * Whether an address is public and in none of these networks: those of one's own that have public addresses, as clusters
 * with IPv6 do. Throws for an entry that is no network.
 */
export function publicExcept(networks: readonly string[]): (address: string) => boolean {
  const isOwn = inNetworks(networks)
  return (address) => isPublicAddress(address) && !isOwn(address)
}

/** Whether an IP address is one of the public internet. Anything else, names included, is not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, 'ipv4')
  return isIPv6(address) && global6.check(address, 'ipv6') && !notPublic6.check(address, 'ipv6')
}
