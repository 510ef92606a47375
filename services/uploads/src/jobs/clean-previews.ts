import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { forgetPreviews } from '../store/link-previews.ts'
import { forgetEndedUses, listPreviewImages } from '../store/preview-uses.ts'
import { markImagesForDeletion, type ImagePosition } from '../store/server-images.ts'

/** A preview may be posted half an hour after it was shown, and the event of the message may arrive even later. */
const usableForMs = 2 * 3_600_000
/** Images are stored before their previews. */
const storedForMs = 3_600_000
const rowsPerRound = 500

/**
 * Deletes previews that are too old to be shown, and releases images to which no preview and no message refers.
 * Messaging is queried, because events of messages may not have arrived yet.
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
      await inRounds(stop, () => forgetEndedUses(ctx.db, rowsPerRound))
      await inRounds(stop, () => forgetPreviews(ctx.db, new Date(now - usableForMs), rowsPerRound))
      let after: ImagePosition | undefined
      await inRounds(stop, async () => {
        const page = await listPreviewImages(ctx.db, {
          before: new Date(now - storedForMs),
          after,
          limit: rowsPerRound,
        })
        const unused = page.flatMap(({ key, used }) => (used ? [] : key))
        const shown = await ctx.owners.findShownImages(unused)
        const unshown = unused.filter((key) => !shown.has(key))
        await markImagesForDeletion(ctx.db, unshown)
        after = page.at(-1)
        return page.length
      })
    },
  })
}

async function inRounds(stop: AbortSignal, round: () => Promise<number>): Promise<void> {
  for (let rows = rowsPerRound; rows === rowsPerRound && !stop.aborted;) rows = await round()
}
