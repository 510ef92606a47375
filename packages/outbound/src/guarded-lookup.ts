import { isIP, type LookupFunction } from 'node:net'
import { isLoopbackName } from './loopback-name.ts'

export type IsAllowed = (address: string) => boolean

export type Address = { address: string; family: 4 | 6 }

/** `callerId`: a user, who may have only a few unresolved names at a time. */
export type Resolve = (hostname: string, callerId: string) => Promise<Address[]>

export type Network = { isAllowed: IsAllowed; resolve: Resolve }

/** A host, or an address that its name resolves to, is not allowed; or the name has no address. */
export class AddressRefused extends Error {
  constructor() {
    super('the address is not allowed')
  }
}

/**
 * Returns a function for the `lookup` option of requests. It resolves a name, and fails with {@link AddressRefused} if
 * the name has no address or one that is not allowed. The connection uses the checked address, because the name could
 * resolve to another address later. A host that is an address is never looked up: see {@link assertAllowedHost}.
 */
export function guardedLookup({ isAllowed, resolve }: Network, callerId: string): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, callerId).then(
      (found) => {
        const [first] = found
        if (!first || !found.every(({ address }) => isAllowed(address))) callback(new AddressRefused(), '')
        else if (options.all) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, ''),
    )
  }
}

/** Throws {@link AddressRefused} for a URL whose host is not allowed, if that can be decided without resolving it. */
export function assertAllowedHost({ hostname }: URL, { isAllowed }: Pick<Network, 'isAllowed'>): void {
  const host = isLoopbackName(hostname) ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isAllowed(host)) throw new AddressRefused()
}
