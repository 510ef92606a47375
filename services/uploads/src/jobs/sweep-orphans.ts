import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { logSwept } from '../metrics.ts'
import { storageKeys } from '../storage/storage.ts'
import { unknownKeys } from '../store/server-images.ts'
import { unclaimedLifeMs } from './sweep-unclaimed.ts'

const batchSize = 500

/** Deletes bytes that no row speaks of: a process ended between storing the ones and writing the other. */
export function sweepOrphans(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  return periodically({
    name: 'sweep orphans',
    everyMs,
    signal,
    run: async () => {
      // Twice the life of a row: what is older and has none never will.
      const before = ctx.now().getTime() - 2 * unclaimedLifeMs
      let swept = 0
      for await (const { key, modifiedAt } of ctx.storage.list(storageKeys.blobs)) {
        if (modifiedAt.getTime() >= before) continue
        await ctx.storage.delete(key)
        swept++
      }
      for await (const keys of oldServerImages(ctx, before)) {
        const orphans = await unknownKeys(ctx.db, keys)
        for (const key of orphans) await ctx.storage.delete(storageKeys.serverImage(key))
        swept += orphans.length
      }
      if (swept > 0) logSwept('bytes', swept)
    },
  })
}

async function* oldServerImages(ctx: Context, before: number): AsyncIterable<string[]> {
  let batch: string[] = []
  for await (const { key, modifiedAt } of ctx.storage.list(storageKeys.serverImages)) {
    if (modifiedAt.getTime() >= before) continue
    batch.push(key.slice(storageKeys.serverImages.length + 1))
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
