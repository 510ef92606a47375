import { create, fromBinary } from '@bufbuild/protobuf'
import { EventSchema, type Event } from '@parley/contracts/internal'
import { encode } from '@parley/protobuf'
import type { Entry } from './store.ts'

/** The replacement for an event that the stream refuses. It keeps id and version, so that nobody waits for them. */
export function skippedEvent(entry: Entry): { subject: string; payload: Buffer } {
  const [aggregateType = '', aggregateId = ''] = entry.aggregate.split('.')
  const { version, occurredAt } = decoded(entry)
  const event = create(EventSchema, {
    id: entry.eventId,
    kind: 'skipped',
    aggregateType,
    aggregateId,
    version,
    ...(occurredAt === undefined ? {} : { occurredAt }),
  })
  return {
    subject: `evt.${aggregateType}.${aggregateId}.skipped`,
    payload: Buffer.from(encode(EventSchema, event)),
  }
}

function decoded(entry: Entry): Pick<Event, 'version' | 'occurredAt'> {
  try {
    return fromBinary(EventSchema, entry.payload)
  } catch {
    return { version: 0n }
  }
}
