import type { Context } from '../../context.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { findVariantKeys } from '../../store/asset-variants.ts'
import { forgetAssets } from '../../store/assets.ts'
import { deleteEach } from './delete-each.ts'

/** Deletes the files, which must be marked for deletion, and their renditions. */
export async function deleteAssets(ctx: Pick<Context, 'db' | 'storage'>, ids: readonly string[]): Promise<void> {
  const variants = await findVariantKeys(ctx.db, ids)
  await deleteEach(ctx, ids, {
    remove: async (id) => {
      for (const { assetId, key } of variants) if (assetId === id) await ctx.storage.delete(storageKeys.variant(key))
      await ctx.storage.delete(storageKeys.asset(id))
    },
    forget: (deleted) => forgetAssets(ctx.db, deleted),
  })
}
