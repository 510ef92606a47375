import type { Context } from '../../context.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { forgetServerImages } from '../../store/server-images.ts'
import { deleteEach } from './delete-each.ts'

export async function deleteImages(ctx: Pick<Context, 'db' | 'storage'>, keys: readonly string[]): Promise<void> {
  await deleteEach(ctx, keys, {
    remove: (key) => ctx.storage.delete(storageKeys.serverImage(key)),
    forget: (deleted) => forgetServerImages(ctx.db, deleted),
  })
}
