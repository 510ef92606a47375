import type { DatabaseHost } from '@parley/service'
import type { Context } from '../context.ts'
import { cleanPreviews } from './clean-previews.ts'
import { cleanUploads } from './clean-uploads.ts'
import { deleteMarked } from './delete-marked.ts'
import { expireAssets } from './expire-assets.ts'
import { sweepOrphans } from './sweep-orphans.ts'
import { sweepUnclaimed } from './sweep-unclaimed.ts'

export function startJobs(host: DatabaseHost, ctx: Context, everyMs: number): void {
  const { signal } = host
  host.use(deleteMarked(ctx, { everyMs: Math.min(everyMs, 30_000), signal }))
  host.use(cleanUploads(ctx, { everyMs, signal }))
  host.use(cleanPreviews(ctx, { everyMs, signal }))
  host.use(expireAssets(ctx, { everyMs, signal }))
  host.use(sweepUnclaimed(ctx, { everyMs, signal }))
  host.use(sweepOrphans(ctx, { everyMs: everyMs * 12, signal }))
}
