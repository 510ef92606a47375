import { fromBinary, toJsonString } from '@bufbuild/protobuf'
import type { Event } from '@parley/contracts/internal'
import {
  RealtimeEventEnvelopeSchema,
  RealtimeServerMemberDeletedEventSchema,
  RealtimeThreadCreatedEventSchema,
} from '@parley/contracts/realtime'

/** A separate audit entry for a change that has no event of its own but is part of another event. */
type Along = { id: string; kind: string; payload: string }

/** A thread begins with its first reply, and a member leaves the server with the account. Payloads contain only ids. */
export function happenedAlong({ kind, fact, deliveries }: Event): Along | undefined {
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
