import type { Db } from '@parley/postgres'
import { periodically, Resources } from '@parley/runtime'
import { deleteOldPushes, measureQueue, type QueueState } from '../../store/push-leases.ts'
import { logDropped, reportQueue } from './metrics.ts'
import { ttlSeconds } from './request.ts'

const maxPerDelete = 1_000
const intervalWhileWaitingMs = 10_000

export function maintainQueue(db: Db, { isSending }: { isSending: boolean }): AsyncDisposable {
  const resources = new Resources()
  let state: QueueState[] = []
  const olderThanMs = isSending ? ttlSeconds * 1000 : 0
  resources.use(reportQueue(() => state))
  resources.use(
    periodically({
      name: 'maintain push queue',
      everyMs: 30_000,
      run: async (signal) => {
        state = await measureQueue(db)
        let mayBeMore = state.some(({ oldestMs }) => oldestMs > olderThanMs)
        while (mayBeMore && !signal.aborted) {
          const dropped = await deleteOldPushes(db, olderThanMs, maxPerDelete)
          if (dropped > 0) logDropped(dropped)
          mayBeMore = dropped === maxPerDelete
        }
        return state.length > 0 ? intervalWhileWaitingMs : undefined
      },
    }),
  )
  return resources
}
