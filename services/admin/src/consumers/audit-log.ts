import { allEvents, consumeEvents } from '@parley/events'
import { auditDurable } from '../domain/audit/durable.ts'
import { isAudited, toAuditEntries } from '../domain/audit/entry.ts'
import type { Context } from '../context.ts'
import { appendEntries } from '../store/audit-entries.ts'

export function recordEvents({ bus, db, now }: Context): Promise<AsyncDisposable> {
  return consumeEvents({
    bus,
    db,
    ...auditDurable,
    subject: allEvents,
    batches: {
      on: async (events, tx) => {
        const at = now()
        const entries = events.filter(isAudited).flatMap((event) => toAuditEntries(event, at))
        if (entries.length > 0) await appendEntries(tx, entries)
      },
    },
  })
}
