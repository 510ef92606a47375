import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { forgetPreviews } from '../store/link-previews.ts'
import { forgetEndedUses, listPreviewImages } from '../store/preview-uses.ts'
import { markImagesForDeletion, type ImagePosition } from '../store/server-images.ts'

/** A preview may be posted half an hour after it was requested, and the event of the message may arrive even later. */
const keepExpiredMs = 2 * 3_600_000
const minImageAgeMs = 3_600_000
const rowsPerRound = 500

/**
 * Deletes old previews and ended uses, and marks for deletion the images to which no preview and no message refers.
 * Asks messaging first, because events of messages may not have arrived yet.
 */
export function cleanPreviews(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  return periodically({
    name: 'clean previews',
    everyMs,
    signal,
    run: async (stop) => {
      const now = ctx.now().getTime()
      await repeatUntilDone(stop, () => forgetEndedUses(ctx.db, rowsPerRound))
      await repeatUntilDone(stop, () => forgetPreviews(ctx.db, new Date(now - keepExpiredMs), rowsPerRound))
      let after: ImagePosition | undefined
      await repeatUntilDone(stop, async () => {
        const page = await listPreviewImages(ctx.db, {
          before: new Date(now - minImageAgeMs),
          after,
          limit: rowsPerRound,
        })
        const unused = page.flatMap(({ key, used }) => (used ? [] : key))
        const shown = await ctx.fileReferences.findShownImages(unused)
        const toDelete = unused.filter((key) => !shown.has(key))
        await markImagesForDeletion(ctx.db, toDelete)
        after = page.at(-1)
        return page.length
      })
    },
  })
}

async function repeatUntilDone(stop: AbortSignal, round: () => Promise<number>): Promise<void> {
  for (let rows = rowsPerRound; rows === rowsPerRound && !stop.aborted;) rows = await round()
}
