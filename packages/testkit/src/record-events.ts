import type { Event } from '@parley/contracts/internal'
import { declareStreams, followEvents } from '@parley/events'
import type { Bus } from '@parley/rpc'

/** Events that came since the recording began, in the order of the stream. */
export type Recording = AsyncDisposable & { readonly events: Event[] }

/** Records what is told on a subject (such as `evt.>`) from now on. The stream is made when it is missing. */
export async function recordEvents(bus: Bus, subject: string): Promise<Recording> {
  await declareStreams(bus)
  const events: Event[] = []
  const follower = await followEvents({
    bus,
    subject,
    onEvents: (more) => events.push(...more),
    onReset: () => undefined,
  })
  return { events, [Symbol.asyncDispose]: () => follower[Symbol.asyncDispose]() }
}
