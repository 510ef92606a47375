import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { forgetEndedUses } from '../store/preview-uses.ts'

/** Forgets what is over of link previews. */
export function cleanPreviews(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  return periodically({ name: 'clean previews', everyMs, signal, run: () => forgetEndedUses(ctx.db) })
}
