import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { orphanFinders } from '../check/orphans.ts'
import { logSwept, reportTooManyOrphans } from '../metrics.ts'
import { storageKeys } from '../storage/storage.ts'
import { unclaimedLifeMs } from './sweep-unclaimed.ts'

const batchSize = 500
/** Bytes that rows speak of for as long as they lie there; those of sessions and calls are soon nobody's. */
const lasting: ReadonlySet<string> = new Set([storageKeys.assets, storageKeys.variants, storageKeys.serverImages])
/** A crash leaves a few; more of them, and hardly anything else, lie there when the database is not the one they belong to. */
const areTooMany = (orphans: string[], keys: string[]): boolean =>
  orphans.length > 50 && orphans.length > keys.length / 2

/** Deletes bytes that no row speaks of: a process ended while it stored them, or before it wrote the row. */
export function sweepOrphans(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  const orphansAmong = orphanFinders(ctx.db)
  return periodically({
    name: 'sweep orphans',
    everyMs,
    signal,
    run: async () => {
      // Twice the life of a row: what is older and has none never will.
      const before = ctx.now().getTime() - 2 * unclaimedLifeMs
      let swept = 0
      for (const [prefix, orphansOf] of Object.entries(orphansAmong))
        for await (const keys of oldObjects(ctx, prefix, before)) {
          const orphans = await orphansOf(keys)
          if (lasting.has(prefix) && areTooMany(orphans, keys)) return reportTooManyOrphans(prefix, orphans.length)
          for (const key of orphans) await ctx.storage.delete(key)
          swept += orphans.length
        }
      for await (const write of ctx.storage.unfinished()) {
        if (write.startedAt.getTime() >= before) continue
        await write.discard()
        swept++
      }
      if (swept > 0) logSwept('bytes', swept)
    },
  })
}

async function* oldObjects(ctx: Context, prefix: string, before: number): AsyncIterable<string[]> {
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
