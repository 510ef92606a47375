import type { Context } from '../../context.ts'
import { findChunks, forgetChunks } from '../../store/uploads.ts'
import { deleteEach } from './delete-each.ts'

export async function deleteChunks(ctx: Pick<Context, 'db' | 'storage'>, keys: readonly string[]): Promise<void> {
  await deleteEach(ctx, keys, {
    remove: (key) => ctx.storage.delete(key),
    forget: (deleted) => forgetChunks(ctx.db, deleted),
  })
}

export async function deleteChunksOf(ctx: Context, uploadId: string): Promise<void> {
  await deleteChunks(ctx, await findChunks(ctx.db, uploadId))
}
