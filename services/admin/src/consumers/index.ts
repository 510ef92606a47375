import type { DatabaseHost } from '@parley/service'
import type { Context } from '../context.ts'
import { recordEvents } from './audit-log.ts'
import { clearDecisionsOfDeletedGroups } from './deleted-groups.ts'

export async function startConsumers(host: DatabaseHost, ctx: Context): Promise<void> {
  host.use(await recordEvents(ctx))
  host.use(await clearDecisionsOfDeletedGroups(ctx))
}
