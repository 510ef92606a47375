import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Moves the stream that a release without NATS accounts created, with its consumers and their positions, to its present
 * account. The server must not be running. Returns whether there was a stream to move.
 */
export function moveStreamToItsAccount(storeDir: string): boolean {
  const [before, now] = ['$G', 'EVENTS'].map((account) => join(storeDir, 'jetstream', account)) as [string, string]
  if (!existsSync(join(before, 'streams', 'EVENTS')) || existsSync(now)) return false
  renameSync(before, now)
  return true
}
