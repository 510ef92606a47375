import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Releases without NATS accounts stored the stream in another folder. Moves that stream, with its consumers and their
 * positions, to the folder of its account. Requires that the server is stopped. Returns whether a stream was moved.
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
