import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { forgetPreviews } from '../store/link-previews.ts'
import { doomUnusedPreviewImages, forgetEndedUses } from '../store/preview-uses.ts'

/** A preview may be posted half an hour after it was shown, and the message told of later still. */
const usableForMs = 2 * 3_600_000
/** An image is stored before its preview. */
const storedForMs = 3_600_000

type Options = {
  everyMs: number
  signal: AbortSignal
  /** Whether posted messages can be trusted to have arrived. */
  claimsArrive: () => boolean
}

/** Forgets previews that are too old to be shown, and lets go of images that no preview and no message names. */
export function cleanPreviews(ctx: Context, { everyMs, signal, claimsArrive }: Options): AsyncDisposable {
  return periodically({
    name: 'clean previews',
    everyMs,
    signal,
    run: async () => {
      const now = ctx.now().getTime()
      await forgetEndedUses(ctx.db)
      if (!claimsArrive()) return
      await forgetPreviews(ctx.db, new Date(now - usableForMs))
      await doomUnusedPreviewImages(ctx.db, new Date(now - storedForMs))
    },
  })
}
