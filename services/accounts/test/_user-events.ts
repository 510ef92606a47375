import { fromBinary } from '@bufbuild/protobuf'
import type { Event } from '@parley/contracts/internal'
import { RealtimeEventEnvelopeSchema, type RealtimeEventEnvelope } from '@parley/contracts/realtime'
import { eventually, recordEvents } from '@parley/testkit'
import type { Env } from './_env.ts'

export async function recordUserEvents(env: Env) {
  const recording = await recordEvents(env.bus, 'evt.>')
  const of = (userId: string) => recording.events.filter(({ aggregateId }) => aggregateId === userId)
  return {
    of,
    /**
     * Waits until `times` events of the kind `awaited` about the user have arrived. Returns the kinds of all events
     * about the user so far.
     */
    waitFor: (userId: string, awaited: string, times = 1) =>
      eventually(() => {
        const kinds = of(userId).map(({ kind }) => kind)
        if (kinds.filter((kind) => kind === awaited).length < times)
          throw new Error(`fewer than ${times} ${awaited} among ${kinds.join(', ')}`)
        return kinds
      }),
    [Symbol.asyncDispose]: () => recording[Symbol.asyncDispose](),
  }
}

export type UserEvents = Awaited<ReturnType<typeof recordUserEvents>>

/** With their recipients: "everyone" or user ids. */
export function deliveriesOf(event: Event | undefined): { envelope: RealtimeEventEnvelope; to: string }[] {
  return (event?.deliveries ?? []).map(({ envelope, audience }) => ({
    envelope: fromBinary(RealtimeEventEnvelopeSchema, envelope),
    to: audience.case === 'users' ? audience.value.userIds.join() : String(audience.case),
  }))
}
