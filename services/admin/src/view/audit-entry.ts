import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { AdminEventLogEntrySchema, type AdminEventLogEntry } from '@parley/contracts/admin'
import type { AuditEntryRow } from '../store/audit-entries.ts'

export function toAuditLogEntry(row: AuditEntryRow): AdminEventLogEntry {
  const { sequence, aggregateType, aggregateId, kind, eventType, eventId, actorId, createdAt, payload } = row
  return create(AdminEventLogEntrySchema, {
    sequence: String(sequence),
    subject: `evt.${aggregateType}.${aggregateId}.${kind}`,
    aggregateType,
    aggregateId,
    eventType,
    eventId,
    actorId,
    createdAt: timestampFromDate(createdAt),
    payloadJson: payload,
  })
}
