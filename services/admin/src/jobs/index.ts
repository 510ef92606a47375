import type { DatabaseHost } from '@parley/service'
import type { Context } from '../context.ts'
import { keepAuditBuckets } from './keep-audit-buckets.ts'
import { releaseUnusedRoleNames } from './release-role-names.ts'
import { replaceLostPolicy } from './replace-lost-policy.ts'

export function startJobs(host: DatabaseHost, ctx: Context): void {
  host.use(keepAuditBuckets(ctx, host.signal))
  host.use(releaseUnusedRoleNames(ctx, host.signal))
  host.use(replaceLostPolicy(ctx, host.signal))
}
