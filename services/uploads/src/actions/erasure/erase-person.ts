import { forgetAnswersOf } from '@parley/service'
import type { Context } from '../../context.ts'
import { deleteAssets } from '../files/delete-assets.ts'
import { deleteBlobs } from '../files/delete-blobs.ts'
import { deleteChunks } from '../files/delete-chunks.ts'
import { deleteImages } from '../files/delete-images.ts'
import { countAssetsOf, markOwnedAssetsForDeletion, assetsToDelete } from '../../store/assets.ts'
import { takeBlobsOf } from '../../store/blobs.ts'
import { forgetUsesOf } from '../../store/preview-uses.ts'
import { countImagesOf, imagesToDelete, markOwnedImagesForDeletion, forgetClaimsOf } from '../../store/server-images.ts'
import { chunksOfPerson, endUploadsOf, forgetEnded } from '../../store/uploads.ts'

const atOnce = 100
const rowsAtOnce = 1_000

/**
 * Deletes every image of a deleted person and what they sent, however much it is, in bounded steps. Bytes that cannot be
 * deleted now keep their rows, which the next pass finds.
 */
export const erasePerson =
  (ctx: Pick<Context, 'db' | 'storage'>) =>
  async (userId: string, signal: AbortSignal): Promise<number> => {
    const { db } = ctx
    const all = (step: (most: number) => Promise<number>, most: number) => inSteps(step, most, signal)
    let found = (await countImagesOf(db, userId)) + (await countAssetsOf(db, userId))
    found += (await forgetClaimsOf(db, userId)) + (await endUploadsOf(db, userId))
    found += await forgetAnswersOf(db, userId, signal)
    found += await all((most) => forgetUsesOf(db, userId, most), rowsAtOnce)
    await all((most) => markOwnedImagesForDeletion(db, userId, most), rowsAtOnce)
    await all((most) => markOwnedAssetsForDeletion(db, userId, most), rowsAtOnce)
    const deleting = async (ids: string[], deleteThem: (ids: string[]) => Promise<void>) => {
      await deleteThem(ids)
      return ids.length
    }
    await all(
      async (most) => deleting(await imagesToDelete(db, most, userId), (keys) => deleteImages(ctx, keys)),
      atOnce,
    )
    await all(
      async (most) => deleting(await chunksOfPerson(db, userId, most), (keys) => deleteChunks(ctx, keys)),
      atOnce,
    )
    await forgetEnded(db, userId)
    await all(async (most) => deleting(await assetsToDelete(db, most, userId), (ids) => deleteAssets(ctx, ids)), atOnce)
    found += await all(
      async (most) => deleting(await takeBlobsOf(db, userId, most), (ids) => deleteBlobs(ctx, ids)),
      atOnce,
    )
    return found
  }

/** Goes on until a step finds less than it may. Answers how many all steps found. */
async function inSteps(step: (most: number) => Promise<number>, most: number, signal: AbortSignal): Promise<number> {
  let found = 0
  for (let last = most; last === most; found += last) {
    signal.throwIfAborted()
    last = await step(most)
  }
  return found
}
