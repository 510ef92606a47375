import type { Bus } from '@parley/rpc'
import { askKeeper } from '../keep/asks.ts'

/** How many messages lie on the stream under these subjects of users' events. For accounts alone. */
export async function countOnStream(bus: Bus, subjects: readonly string[]): Promise<number> {
  return (await askKeeper(bus, 'erase', { subjects: [...subjects], remove: false })).found
}

/**
 * Has the events under subjects of users' events taken off the stream, message by message, their bytes overwritten in its
 * files. Whoever follows the stream remembers the newest event it knows; one that may be remembered must not be removed, so
 * wait until newer ones have been there for a while. For accounts alone.
 */
export async function removeFromStream(bus: Bus, subjects: readonly string[], signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const { found, left } = await askKeeper(bus, 'erase', { subjects: [...subjects], remove: true })
    if (left === 0 || left === found) return
  }
}
