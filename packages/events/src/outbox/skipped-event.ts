import { create, fromBinary } from '@bufbuild/protobuf'
import { EventSchema, type Event } from '@parley/contracts/internal'
import { encode } from '@parley/protobuf'
import type { Entry } from './store.ts'

/**
 * The replacement has the same id and version, so that nobody waits for the refused event; the version is 0 if the
 * refused event cannot be decoded.
 */
export function skippedEvent(entry: Entry): { subject: string; payload: Buffer } {
  const [aggregateType = '', aggregateId = ''] = entry.aggregate.split('.')
  const { version, occurredAt } = decodeOrDefault(entry)
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

function decodeOrDefault(entry: Entry): Pick<Event, 'version' | 'occurredAt'> {
  try {
    return fromBinary(EventSchema, entry.payload)
  } catch {
    return { version: 0n }
  }
}
