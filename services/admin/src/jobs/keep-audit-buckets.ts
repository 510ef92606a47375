import { periodically } from '@parley/runtime'
import { parseBucketName, bucketsAhead, isExpired } from '../domain/audit/retention.ts'
import type { Context } from '../context.ts'
import { logBucketDropped, reportBucketsMissing } from '../metrics.ts'
import { dropBucket, listBuckets, makePartition } from '../store/audit-buckets.ts'

/** Creates tables before their month, and drops those past their retention, even empty ones. */
export function keepAuditBuckets(ctx: Context, signal: AbortSignal): AsyncDisposable {
  return periodically({
    name: 'audit buckets',
    everyMs: 3_600_000,
    signal,
    run: async () => {
      await makeAuditBucketsAhead(ctx)
      await dropExpiredBuckets(ctx)
    },
  })
}

/**
 * After a failure the job tries again. A bucket that gets entries before it has a table never gets one: its entries go
 * to the default partition.
 */
export async function makeAuditBucketsAhead(ctx: Pick<Context, 'db' | 'now'>): Promise<void> {
  await makeAuditBuckets(ctx).catch(reportBucketsMissing)
}

async function makeAuditBuckets({ db, now }: Pick<Context, 'db' | 'now'>): Promise<void> {
  for (const bucket of bucketsAhead(now())) await makePartition(db, bucket)
}

async function dropExpiredBuckets({ db, config, now }: Context): Promise<void> {
  const keepMs = { security: config.auditRetentionMs, conversation: config.auditConversationRetentionMs }
  for (const name of await listBuckets(db)) {
    const bucket = parseBucketName(name)
    if (!bucket || !isExpired(bucket, now(), keepMs)) continue
    await dropBucket(db, bucket)
    logBucketDropped(name)
  }
}
