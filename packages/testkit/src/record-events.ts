import type { Event } from '@parley/contracts/internal'
import { declareStreams, followEvents } from '@parley/events'
import type { Bus } from '@parley/rpc'

/**
 * Events since the recording began, in the order of the stream. Duplicates are dropped, because a relay may publish its
 * last events again.
 */
export type Recording = AsyncDisposable & { readonly events: Event[] }

/** Creates the stream if it is missing. */
export async function recordEvents(bus: Bus, subject: string): Promise<Recording> {
  await declareStreams(bus)
  const events: Event[] = []
  const seen = new Set<string>()
  const follower = await followEvents({
    bus,
    subject,
    onEvents: (more) => {
      for (const event of more) {
        if (seen.has(event.id)) continue
        seen.add(event.id)
        events.push(event)
      }
    },
    onReset: () => undefined,
  })
  return { events, [Symbol.asyncDispose]: () => follower[Symbol.asyncDispose]() }
}
