import type { DatabaseHost } from '@parley/service'
import { endCalls } from '../actions/calls/end-calls.ts'
import type { Context } from '../context.ts'
import { compareCalls } from './compare-calls.ts'
import { forgetCalls } from './forget-calls.ts'

export function startJobs(host: DatabaseHost, ctx: Context, compareEveryMs: number): void {
  const { signal } = host
  if (ctx.media) host.use(compareCalls(ctx, ctx.media, { everyMs: compareEveryMs, signal }))
  // Without a media server, remaining calls are ended.
  else host.every({ name: 'end calls', everyMs: compareEveryMs, run: (stop) => endCalls(ctx, stop) })
  host.use(forgetCalls(ctx, { everyMs: 600_000, signal }))
  host.expireIdempotentAnswers()
}
