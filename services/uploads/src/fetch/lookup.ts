import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** A name leads to an address that is not public. */
export class PrivateAddress extends Error {}

/** Looks a name up and refuses it when any of its addresses is not public. The connection goes to what was checked. */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, '')
    const [first] = found
    if (!first || !found.every(({ address }) => isPublicAddress(address))) return callback(new PrivateAddress(), '')
    if (options.all) callback(null, found)
    else callback(null, first.address, first.family)
  })
}
