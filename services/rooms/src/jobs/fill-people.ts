import type { Context } from '../context.ts'
import { logPeopleCopied } from '../metrics.ts'
import { isFilled, markFilled, saveProfiles, saveRoles } from '../store/people.ts'
import { retryUntilSuccess } from './retry-until-success.ts'

const projection = 'people'
const pageSize = 1000
/** Building a large statement blocks the process, whose other transactions could time out meanwhile. */
const rowsPerTransaction = 100

/**
 * Copies all people from the service `accounts`, once per database. The consumers are already running, and newer
 * versions win.
 */
export function fillPeople(ctx: Context, signal: AbortSignal): Promise<void> {
  return retryUntilSuccess('fill people from accounts', signal, () => fillOnce(ctx, signal))
}

async function fillOnce(ctx: Context, signal: AbortSignal): Promise<void> {
  if (await isFilled(ctx.db, projection)) return
  let copied = 0
  for (let after = ''; ;) {
    const { people } = await ctx.accounts.listPeople({ after, limit: pageSize }, { signal })
    for (let from = 0; from < people.length; from += rowsPerTransaction) {
      const some = people.slice(from, from + rowsPerTransaction)
      await ctx.db.transaction(async (tx) => {
        await saveProfiles(tx, some)
        await saveRoles(tx, some)
      })
    }
    copied += people.length
    const last = people.at(-1)
    if (!last || people.length < pageSize) break
    after = last.userId
  }
  await ctx.db.transaction((tx) => markFilled(tx, projection))
  logPeopleCopied(copied)
}
