import { periodically } from '@parley/runtime'
import { compareIdentity, renewIdentity } from '../actions/check/identity.ts'
import { orphanFinders } from '../actions/check/orphans.ts'
import { quarantine } from '../actions/check/quarantine.ts'
import type { Context } from '../context.ts'
import { settledMs, unfinishedLifeMs } from '../domain/limits.ts'
import { logSwept, reportStorageMismatch } from '../metrics.ts'
import { forgetOrphansUnseen } from '../store/orphans.ts'

const batchSize = 500

/**
 * Deletes bytes that have had no row for a week: a process ended before it wrote the row, or could not delete them.
 * Discards writes that have been unfinished for a day. Does neither if the storage does not belong to the database.
 */
export function sweepOrphans(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  const finders = orphanFinders(ctx.db)
  return periodically({
    name: 'sweep orphans',
    everyMs,
    signal,
    run: async (stop) => {
      const belonging = await compareIdentity(ctx)
      if (belonging !== 'own') return reportStorageMismatch(belonging)
      await renewIdentity(ctx)
      const startedAt = ctx.now()
      let swept = 0
      for (const [prefix, findOrphans] of Object.entries(finders))
        for await (const keys of listOldKeys(ctx, prefix, startedAt.getTime() - settledMs)) {
          stop.throwIfAborted()
          swept += (await quarantine(ctx, await findOrphans(keys), startedAt)).size
        }
      for (let deleted = batchSize; deleted === batchSize;)
        deleted = await forgetOrphansUnseen(ctx.db, startedAt, batchSize)
      for await (const write of ctx.storage.unfinished()) {
        if (ctx.now().getTime() - write.at.getTime() < unfinishedLifeMs) continue
        await write.discard()
        swept++
      }
      if (swept > 0) logSwept('bytes', swept)
    },
  })
}

async function* listOldKeys(ctx: Context, prefix: string, before: number): AsyncIterable<string[]> {
  let batch: string[] = []
  for await (const { key, modifiedAt } of ctx.storage.list(prefix)) {
    if (modifiedAt.getTime() >= before) continue
    batch.push(key)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
