import { create, toBinary } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { EventBatchSchema, EventSchema } from '@parley/contracts/internal'
import { eventSubject } from '@parley/events'
import { newId } from '@parley/ids'
import type { Bus } from '@parley/rpc'

/** Says on the control feed, as accounts would, that every credential of a user has ended. */
export async function credentialsEndedOf(bus: Bus, userId: string): Promise<void> {
  const aggregate = { aggregateType: 'user', aggregateId: userId, kind: 'credentials_ended' } as const
  const event = create(EventSchema, {
    ...{ ...aggregate, id: newId('event'), version: 1n, occurredAt: timestampFromDate(new Date()), actorId: userId },
    fact: { case: 'credentialsEnded', value: { all: true, reason: 'password_changed' } },
  })
  const batch = create(EventBatchSchema, { events: [event] })
  await bus.nc.jetstream().publish(eventSubject(aggregate), toBinary(EventBatchSchema, batch))
}
