import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { FetchRefused } from './failures.ts'

/** Whether an address may be asked. */
export type IsAllowed = (address: string) => boolean
/** How names are looked up: as `lookup` of node:dns. */
export type Resolve = (
  hostname: string,
  options: { all: true },
  callback: (error: Error | null, found: { address: string; family: number }[]) => void,
) => void

/**
 * Looks a name up and refuses it when any of its addresses may not be asked. The connection goes to what was checked: a
 * name cannot point elsewhere in between.
 */
export function guardedLookup(isAllowed: IsAllowed, resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const [first] = found
      if (!first || !found.every(({ address }) => isAllowed(address))) return callback(new FetchRefused('private'), '')
      if (options.all) callback(null, found)
      else callback(null, first.address, first.family)
    })
  }
}
