import type { Db, Tx } from '@parley/postgres'
import { eq, sql } from 'drizzle-orm'
import { bucketName, type Bucket } from '../domain/audit/retention.ts'
import { auditCounts, auditEntries } from './schema.ts'

const rowsPerDelete = 5000

const partition = (bucket: Bucket) => sql.identifier(`audit_entries_${bucketName(bucket)}`)

/** Does nothing if the bucket has entries, which may be in the default partition. */
export async function makePartition(db: Db, bucket: Bucket): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPartitions(tx)
    const [known] = await tx
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.bucket, bucketName(bucket)))
      .limit(1)
    if (known) return
    await tx.execute(sql`
      create table if not exists ${partition(bucket)} partition of audit_entries
      for values in (${sql.raw(`'${bucketName(bucket)}'`)})`)
  })
}

export async function dropBucket(db: Db, bucket: Bucket): Promise<void> {
  const name = bucketName(bucket)
  await db.transaction(async (tx) => {
    await lockPartitions(tx)
    await tx.execute(sql`drop table if exists ${partition(bucket)}`)
  })
  const some = sql`select sequence from audit_entries where bucket = ${name} limit ${rowsPerDelete}`
  const leftovers = sql`delete from audit_entries where bucket = ${name} and sequence in (${some})`
  while (((await db.execute(leftovers)).rowCount ?? 0) === rowsPerDelete);
  await db.delete(auditCounts).where(eq(auditCounts.bucket, name))
}

/** Buckets that hold entries or have a table, and the default partition. */
export async function listBuckets(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ name: string }>(sql`
    select ${auditCounts.bucket} as name from ${auditCounts}
    union
    select substring(tables.relname from '^audit_entries_(.*)$')
    from pg_inherits join pg_class tables on tables.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = 'audit_entries'::regclass`)
  return rows.map(({ name }) => name)
}

/** Concurrent `create table if not exists` can fail on the system catalog. */
async function lockPartitions(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext('audit partitions'))`)
}
