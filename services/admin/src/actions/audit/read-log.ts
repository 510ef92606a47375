import type { Context } from '../../context.ts'
import { toLogPage } from '../../domain/event-log-page.ts'
import { countEntries, scanEntries, type LogQuery } from '../../store/audit-entries.ts'

/** `totalCount` is of the whole log, regardless of the filter. */
export async function readLog({ db }: Pick<Context, 'db'>, query: LogQuery) {
  const page = toLogPage(await scanEntries(db, query), query.limit, query.scanLimit)
  return { page, totalCount: await countEntries(db) }
}
