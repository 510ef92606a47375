import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { deleteChunks } from '../actions/files/delete-chunks.ts'
import { endExpired, forgetEnded, findChunksToDelete } from '../store/uploads.ts'

const chunksPerRound = 500

/**
 * Ends expired upload sessions, deletes the chunks of all sessions that are not open, then the rows of ended sessions
 * without chunks.
 */
export function cleanUploads(
  ctx: Context,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  return periodically({
    name: 'clean uploads',
    everyMs,
    signal,
    run: async (stop) => {
      await endExpired(ctx.db, ctx.now())
      for (let deleted = chunksPerRound; deleted === chunksPerRound;) {
        stop.throwIfAborted()
        const keys = await findChunksToDelete(ctx.db, chunksPerRound)
        await deleteChunks(ctx, keys)
        deleted = keys.length
      }
      await forgetEnded(ctx.db)
    },
  })
}
