import type { AdminEventLogEntry } from '@parley/contracts/admin'
import type { TestAdmin } from './_admin.ts'

/** Newest entry first. */
export async function readWholeLog({ owner }: TestAdmin): Promise<AdminEventLogEntry[]> {
  const entries: AdminEventLogEntry[] = []
  let before: string | undefined
  for (;;) {
    const page = await owner.eventLog.listEvents({ limit: 200, ...(before !== undefined && { before }) })
    entries.push(...page.entries)
    if (!page.hasOlder) return entries
    before = page.endCursor
  }
}
