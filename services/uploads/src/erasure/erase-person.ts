import type { Context } from '../context.ts'
import { deleteAssets } from '../files/delete-assets.ts'
import { deleteChunks } from '../files/delete-chunks.ts'
import { storageKeys } from '../storage/storage.ts'
import { doomAssetsOf, doomedAssets } from '../store/assets.ts'
import { takeBlobsOf } from '../store/blobs.ts'
import { forgetUsesOf } from '../store/preview-uses.ts'
import { doomImagesOf, forgetClaimsOf, forgetServerImage } from '../store/server-images.ts'
import { forgetKeysOf } from '../store/upload-keys.ts'
import { chunksOfPerson, endUploadsOf, forgetUploadsOf } from '../store/uploads.ts'

const atOnce = 100

/** Deletes every image of a deleted person and what they sent and nobody took: the bytes first, as everywhere here. */
export const erasePerson =
  (ctx: Pick<Context, 'db' | 'storage'>) =>
  async (userId: string, signal: AbortSignal): Promise<number> => {
    const images = await doomImagesOf(ctx.db, userId)
    for (const key of images) {
      signal.throwIfAborted()
      await ctx.storage.delete(storageKeys.serverImage(key))
      await forgetServerImage(ctx.db, key)
    }
    let found = images.length + (await forgetClaimsOf(ctx.db, userId))
    found += (await forgetKeysOf(ctx.db, userId)) + (await forgetUsesOf(ctx.db, userId))
    found += (await endUploadsOf(ctx.db, userId)) + (await doomAssetsOf(ctx.db, userId))
    for (let deleted = atOnce; deleted === atOnce;) {
      signal.throwIfAborted()
      const keys = await chunksOfPerson(ctx.db, userId, atOnce)
      await deleteChunks(ctx, keys)
      deleted = keys.length
    }
    await forgetUploadsOf(ctx.db, userId)
    for (let deleted = atOnce; deleted === atOnce;) {
      signal.throwIfAborted()
      const ids = await doomedAssets(ctx.db, atOnce, userId)
      await deleteAssets(ctx, ids)
      deleted = ids.length
    }
    for (let taken = atOnce; taken === atOnce; found += taken) {
      signal.throwIfAborted()
      const ids = await takeBlobsOf(ctx.db, userId, atOnce)
      for (const id of ids) await ctx.storage.delete(storageKeys.blob(id))
      taken = ids.length
    }
    return found
  }
