import type { Bus } from '@parley/rpc'
import { requestKeeper } from '../keep/requests.ts'

/** Counts the messages on the stream under subjects of a user's events. Only accounts may call it. */
export async function countOnStream(bus: Bus, subjects: readonly string[]): Promise<number> {
  return (await requestKeeper(bus, 'erase', { subjects: [...subjects], remove: false })).found
}

/**
 * Removes the messages under subjects of a user's events and overwrites their bytes. Ends early if a request removes
 * none. Only accounts may call it, once newer events have existed for a while: relays and followers check that the
 * stream still holds the newest event they know.
 */
export async function removeFromStream(bus: Bus, subjects: readonly string[], signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const { found, left } = await requestKeeper(bus, 'erase', { subjects: [...subjects], remove: true })
    if (left === 0 || left === found) return
  }
}
