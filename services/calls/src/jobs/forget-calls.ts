import { periodically } from '@parley/runtime'
import type { Context } from '../context.ts'
import { retentionMs } from '../domain/limits.ts'
import { forgetEndedCalls } from '../store/calls.ts'
import { forgetWebhooks } from '../store/webhooks.ts'

export function forgetCalls(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  return periodically({
    name: 'forget calls',
    everyMs,
    signal,
    run: async () => {
      const before = new Date(now().getTime() - retentionMs)
      await forgetEndedCalls(db, before)
      await forgetWebhooks(db, before)
    },
  })
}
