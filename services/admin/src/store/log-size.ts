import { sqlRows, type Reader } from '@parley/postgres'
import { sql } from 'drizzle-orm'
import { auditDurable } from '../domain/audit/durable.ts'

export type LogSize = {
  entries: bigint
  /** On disk, with indexes. */
  bytes: bigint
  /** Parked events, which the log lacks. */
  parked: bigint
}

export async function getLogSize(db: Reader): Promise<LogSize> {
  const [size] = await sqlRows<LogSize>(
    db,
    sql`select
      (select coalesce(sum(entries), 0)::bigint from audit_counts) as entries,
      (select coalesce(sum(pg_total_relation_size(relid)), 0)::bigint from pg_partition_tree('audit_entries') where isleaf) as bytes,
      (select count(*) from parked_events where consumer = ${auditDurable.name} and parked_at is not null) as parked`,
  )
  return size ?? { entries: 0n, bytes: 0n, parked: 0n }
}
