import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Event } from '@parley/contracts/internal'
import { eventTypeOf } from './event-types.ts'
import { findIncludedChange } from './included-change.ts'
import { payloadOf } from './payload.ts'
import { auditClassOf, bucketAt, bucketName } from './retention.ts'

export type NewAuditEntry = {
  bucket: string
  eventId: string
  eventType: string
  aggregateType: string
  aggregateId: string
  kind: string
  actorId: string
  createdAt: Date
  payload: string
}

export function toAuditEntries(event: Event, recordedAt: Date): NewAuditEntry[] {
  const included = findIncludedChange(event)
  const own = toAuditEntry(event, recordedAt)
  if (!included) return [own]
  const { id, kind, payload } = included
  return [own, { ...toAuditEntry({ ...event, id, kind, fact: { case: undefined } }, recordedAt), payload }]
}

function toAuditEntry(event: Event, recordedAt: Date): NewAuditEntry {
  return {
    bucket: bucketName(bucketAt(auditClassOf(event), recordedAt)),
    eventId: event.id,
    eventType: eventTypeOf(event),
    aggregateType: aggregateTypeOf(event),
    aggregateId: event.aggregateId,
    kind: event.kind,
    actorId: event.actorId,
    createdAt: event.occurredAt ? timestampDate(event.occurredAt) : recordedAt,
    payload: payloadOf(event.fact),
  }
}

/** Read markers and notifications are private and too numerous for the audit log. */
export const isAudited = ({ aggregateType, kind }: Pick<Event, 'aggregateType' | 'kind'>): boolean =>
  aggregateType !== 'notification' &&
  (aggregateType !== 'reader' || (kind !== 'room_marked_as_read' && kind !== 'thread_marked_as_read'))

/** Recorded as `user`, because the aggregate belongs to one user. */
const userAggregates = new Set(['reader', 'preference'])

function aggregateTypeOf(event: Event): string {
  if (isAboutRoles(event)) return 'rbac'
  return userAggregates.has(event.aggregateType) ? 'user' : event.aggregateType
}

const isAboutRoles = ({ aggregateType, kind }: Event): boolean =>
  aggregateType === 'policy' || kind === 'roles_changed' || kind.startsWith('rbac_')
