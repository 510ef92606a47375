import type { Context } from '../context.ts'
import { storageKeys } from '../storage/storage.ts'
import { variantKeysOf } from '../store/asset-variants.ts'
import { forgetAssets } from '../store/assets.ts'

/** Deletes files that are doomed, and what was made of them: the bytes first, so that a row always tells of bytes that are still to go. */
export async function deleteAssets(ctx: Pick<Context, 'db' | 'storage'>, ids: readonly string[]): Promise<void> {
  for (const key of await variantKeysOf(ctx.db, ids)) await ctx.storage.delete(storageKeys.variant(key))
  for (const id of ids) await ctx.storage.delete(storageKeys.asset(id))
  await forgetAssets(ctx.db, ids)
}
