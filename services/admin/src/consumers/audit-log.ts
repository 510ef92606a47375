import { allEvents, consumeEventBatches } from '@parley/events'
import type { Bus } from '@parley/rpc'
import { toAuditEntry } from '../audit/entry.ts'
import type { Context } from '../context.ts'
import { appendEntries } from '../store/audit-entries.ts'

/** Makes an entry of the audit log of every event that anybody announces. */
export function recordEvents({ db, now }: Context, bus: Bus): Promise<AsyncDisposable> {
  return consumeEventBatches({
    bus,
    db,
    service: 'admin',
    durable: 'audit',
    subject: allEvents,
    on: async (events, tx) => {
      const at = now()
      await appendEntries(
        tx,
        events.map((event) => toAuditEntry(event, at)),
      )
    },
  })
}
