import { fromBinary, toJsonString } from '@bufbuild/protobuf'
import type { Event } from '@parley/contracts/internal'
import {
  RealtimeEventEnvelopeSchema,
  RealtimeServerMemberDeletedEventSchema,
  RealtimeThreadCreatedEventSchema,
} from '@parley/contracts/realtime'

/** A change that has no event of its own; it gets a separate audit entry. */
type IncludedChange = { id: string; kind: string; payload: string }

/**
 * The event of the first reply includes the start of its thread, and the event of a deleted account the departure of a
 * member. The payload contains only ids.
 */
export function findIncludedChange({ kind, fact, deliveries }: Event): IncludedChange | undefined {
  const isReply = fact.case === 'messagePosted' && fact.value.threadRootEventId !== ''
  if (!isReply && kind !== 'account_deleted') return undefined
  for (const { envelope } of deliveries) {
    const { id, event } = fromBinary(RealtimeEventEnvelopeSchema, envelope)
    if (event.case === 'threadCreated')
      return { id, kind: 'thread_created', payload: toJsonString(RealtimeThreadCreatedEventSchema, event.value) }
    if (event.case === 'serverMemberDeleted')
      return {
        ...{ id, kind: 'server_member_deleted' },
        payload: toJsonString(RealtimeServerMemberDeletedEventSchema, event.value),
      }
  }
  return undefined
}
