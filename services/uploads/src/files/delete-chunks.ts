import type { Context } from '../context.ts'
import { findChunks, forgetChunks } from '../store/uploads.ts'

/** Deletes chunks: the bytes first, so that a row always tells of bytes that are still to go. */
export async function deleteChunks(ctx: Pick<Context, 'db' | 'storage'>, keys: readonly string[]): Promise<void> {
  for (const key of keys) await ctx.storage.delete(key)
  await forgetChunks(ctx.db, keys)
}

export async function deleteChunksOf(ctx: Context, uploadId: string): Promise<void> {
  await deleteChunks(ctx, await findChunks(ctx.db, uploadId))
}
