import type { Bus } from '@parley/rpc'
import { requestKeeper } from '../keep/requests.ts'

/** Counts the messages on the stream under these subjects of users' events. Only accounts may call it. */
export async function countOnStream(bus: Bus, subjects: readonly string[]): Promise<number> {
  return (await requestKeeper(bus, 'erase', { subjects: [...subjects], remove: false })).found
}

/**
 * Removes the events under subjects of users' events from the stream, message by message, and overwrites their bytes in
 * its files. Followers of the stream remember the newest event they know, which must not be removed: wait until newer
 * ones have existed for a while. Only accounts may call it.
 */
export async function removeFromStream(bus: Bus, subjects: readonly string[], signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const { found, left } = await requestKeeper(bus, 'erase', { subjects: [...subjects], remove: true })
    if (left === 0 || left === found) return
  }
}
