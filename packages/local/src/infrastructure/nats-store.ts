import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Gives the stream of a release before accounts, with its consumers and their places, to the account that has it now; the
 * server must not run. Returns whether there was something to give.
 */
export function giveStreamToItsAccount(storeDir: string): boolean {
  const [before, now] = ['$G', 'EVENTS'].map((account) => join(storeDir, 'jetstream', account)) as [string, string]
  if (!existsSync(join(before, 'streams', 'EVENTS')) || existsSync(now)) return false
  renameSync(before, now)
  return true
}
