import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { keptMs } from '../domain/limits.ts'
import { deleteChunks } from '../actions/files/delete-chunks.ts'
import { forgetKeys } from '../store/upload-keys.ts'
import { endExpired, forgetEnded, idleChunks } from '../store/uploads.ts'

const chunksPerRound = 500

/** Ends sessions whose time is over, frees what chunks are left of those that ended, and forgets them. */
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
      await forgetKeys(ctx.db, new Date(ctx.now().getTime() - keptMs))
      for (let deleted = chunksPerRound; deleted === chunksPerRound;) {
        stop.throwIfAborted()
        const keys = await idleChunks(ctx.db, chunksPerRound)
        await deleteChunks(ctx, keys)
        deleted = keys.length
      }
      await forgetEnded(ctx.db)
    },
  })
}
