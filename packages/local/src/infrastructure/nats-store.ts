import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Moves the stream of a release without NATS accounts, with its consumers and their positions, to its current
 * account. Requires that the server is stopped. Returns whether a stream was moved.
 */
export function moveStreamToItsAccount(storeDir: string): boolean {
  const [oldFolder, newFolder] = ['$G', 'EVENTS'].map((account) => join(storeDir, 'jetstream', account)) as [
    string,
    string,
  ]
  if (!existsSync(join(oldFolder, 'streams', 'EVENTS')) || existsSync(newFolder)) return false
  renameSync(oldFolder, newFolder)
  return true
}
