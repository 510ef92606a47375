import type { Db } from '@parley/postgres'
import { periodically, Resources } from '@parley/runtime'
import { deleteOldPushes, pushQueue, type QueueState } from '../../store/push-turns.ts'
import { logDropped, showQueue } from './metrics.ts'
import { ttlSeconds } from './request.ts'

const perRound = 1_000
/** While pushes wait. */
const againMs = 10_000

/** Measures the queue and deletes pushes that are too old, or all pushes if push is not configured. */
export function keepQueue(db: Db, { isSending }: { isSending: boolean }): AsyncDisposable {
  const opened = new Resources()
  let state: QueueState[] = []
  const olderThanMs = isSending ? ttlSeconds * 1000 : 0
  opened.use(showQueue(() => state))
  opened.use(
    periodically({
      name: 'keep push queue',
      everyMs: 30_000,
      run: async (signal) => {
        state = await pushQueue(db)
        let mayBeMore = state.some(({ oldestMs }) => oldestMs > olderThanMs)
        while (mayBeMore && !signal.aborted) {
          const dropped = await deleteOldPushes(db, olderThanMs, perRound)
          if (dropped > 0) logDropped(dropped)
          mayBeMore = dropped === perRound
        }
        return state.length > 0 ? againMs : undefined
      },
    }),
  )
  return opened
}
