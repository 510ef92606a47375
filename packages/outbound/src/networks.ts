import { BlockList, isIP } from 'node:net'

/**
 * Returns a function that tells whether an address is in one of these networks. A network is a single address or a CIDR
 * block; throws for anything else.
 */
export function inNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of networks) {
    const [address = '', bits, ...more] = entry.split('/')
    const family = familyOf(address)
    const length = bits === undefined ? (family === 'ipv4' ? 32 : 128) : /^\d{1,3}$/.test(bits) ? Number(bits) : 129
    if (isIP(address) === 0 || more.length > 0 || length > (family === 'ipv4' ? 32 : 128))
      throw new Error(`${entry} is neither an address nor a network`)
    list.addSubnet(address, length, family)
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address))
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
