import type { Context } from '../../context.ts'
import { toLogPage } from '../../domain/event-log-page.ts'
import { countEntries, scanEntries } from '../../store/audit-entries.ts'

type LogQuery = Parameters<typeof scanEntries>[1]

/** A page of the audit log, and the number of all stored entries. */
export async function readLog({ db }: Pick<Context, 'db'>, query: LogQuery) {
  const page = toLogPage(await scanEntries(db, query), query.limit, query.scan)
  return { page, totalCount: await countEntries(db) }
}
