import { deleteAnswersOf } from '@parley/service'
import type { Context } from '../../context.ts'
import { deleteAssets } from '../files/delete-assets.ts'
import { deleteBlobs } from '../files/delete-blobs.ts'
import { deleteChunks } from '../files/delete-chunks.ts'
import { deleteImages } from '../files/delete-images.ts'
import { countAssetsOf, markOwnedAssetsForDeletion, findAssetsToDelete } from '../../store/assets.ts'
import { takeBlobsOf } from '../../store/blobs.ts'
import { forgetUsesOf } from '../../store/preview-uses.ts'
import {
  countImagesOf,
  findImagesToDelete,
  markOwnedImagesForDeletion,
  forgetClaimsOf,
} from '../../store/server-images.ts'
import { findChunksOf, endUploadsOf, forgetEnded } from '../../store/uploads.ts'

const objectsPerStep = 100
const rowsPerStep = 1_000

/**
 * Works in bounded steps. If bytes of a file, image or chunk cannot be deleted now, the row stays for the next pass.
 * Returns the number of rows found, without chunks; 0 if nothing was left.
 */
export const erasePerson =
  (ctx: Pick<Context, 'db' | 'storage'>) =>
  async (userId: string, signal: AbortSignal): Promise<number> => {
    const { db } = ctx
    const runAll = (step: (limit: number) => Promise<number>, limit: number) => repeatUntilDone(step, limit, signal)
    let found = (await countImagesOf(db, userId)) + (await countAssetsOf(db, userId))
    found += (await forgetClaimsOf(db, userId)) + (await endUploadsOf(db, userId))
    found += await deleteAnswersOf(db, userId, signal)
    found += await runAll((limit) => forgetUsesOf(db, userId, limit), rowsPerStep)
    await runAll((limit) => markOwnedImagesForDeletion(db, userId, limit), rowsPerStep)
    await runAll((limit) => markOwnedAssetsForDeletion(db, userId, limit), rowsPerStep)
    const deleteAndCount = async (ids: string[], deleteThem: (ids: string[]) => Promise<void>) => {
      await deleteThem(ids)
      return ids.length
    }
    await runAll(
      async (limit) => deleteAndCount(await findImagesToDelete(db, limit, userId), (keys) => deleteImages(ctx, keys)),
      objectsPerStep,
    )
    await runAll(
      async (limit) => deleteAndCount(await findChunksOf(db, userId, limit), (keys) => deleteChunks(ctx, keys)),
      objectsPerStep,
    )
    await forgetEnded(db, userId)
    await runAll(
      async (limit) => deleteAndCount(await findAssetsToDelete(db, limit, userId), (ids) => deleteAssets(ctx, ids)),
      objectsPerStep,
    )
    found += await runAll(
      async (limit) => deleteAndCount(await takeBlobsOf(db, userId, limit), (ids) => deleteBlobs(ctx, ids)),
      objectsPerStep,
    )
    return found
  }

async function repeatUntilDone(
  step: (limit: number) => Promise<number>,
  limit: number,
  signal: AbortSignal,
): Promise<number> {
  let found = 0
  for (let last = limit; last === limit; found += last) {
    signal.throwIfAborted()
    last = await step(limit)
  }
  return found
}
