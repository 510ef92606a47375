import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'

/** Whether an address may be asked. */
export type IsAllowed = (address: string) => boolean

/** How names are looked up: as `lookup` of node:dns. */
export type Resolve = (
  hostname: string,
  options: { all: true },
  callback: (error: Error | null, found: { address: string; family: number }[]) => void,
) => void

/** Whom one may ask, and how names lead to them; by default as the system looks them up. */
export type Network = { isAllowed: IsAllowed; resolve?: Resolve }

/** A host, or an address its name leads to, may not be asked. */
export class AddressRefused extends Error {
  constructor() {
    super('the address may not be asked')
  }
}

/**
 * Looks a name up and refuses it when any of its addresses may not be asked. The connection goes to what was checked: a
 * name cannot point elsewhere in between. For the `lookup` of requests; those to a host that is an address look nothing up,
 * see {@link assertAllowedHost}.
 */
export function guardedLookup({ isAllowed, resolve = lookup }: Network): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const [first] = found
      if (!first || !found.every(({ address }) => isAllowed(address))) return callback(new AddressRefused(), '')
      if (options.all) callback(null, found)
      else callback(null, first.address, first.family)
    })
  }
}

/** Throws {@link AddressRefused} for a URL whose host is itself an address that may not be asked. */
export function assertAllowedHost({ hostname }: URL, { isAllowed }: Pick<Network, 'isAllowed'>): void {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isAllowed(host)) throw new AddressRefused()
}
