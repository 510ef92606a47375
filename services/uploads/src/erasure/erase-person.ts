import type { Context } from '../context.ts'
import { storageKeys } from '../storage/storage.ts'
import { takeBlobsOf } from '../store/blobs.ts'
import { doomImagesOf, forgetClaimsOf, forgetServerImage } from '../store/server-images.ts'

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
    for (let taken = atOnce; taken === atOnce; found += taken) {
      signal.throwIfAborted()
      const ids = await takeBlobsOf(ctx.db, userId, atOnce)
      for (const id of ids) await ctx.storage.delete(storageKeys.blob(id))
      taken = ids.length
    }
    return found
  }
