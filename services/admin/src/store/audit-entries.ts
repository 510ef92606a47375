import { sqlRows, type Reader, type Tx } from '@parley/postgres'
import { eq, sql, sum } from 'drizzle-orm'
import type { NewAuditEntry } from '../domain/audit/entry.ts'
import type { Scanned } from '../domain/event-log-page.ts'
import type { EntryFilter } from '../domain/event-log-request.ts'
import { auditCounts, auditEntries } from './schema.ts'

export type AuditEntryRow = Omit<typeof auditEntries.$inferSelect, 'bucket'>

/** The counter's row is locked until the commit, so sequences have no gaps and become visible in ascending order. */
export async function appendEntries(tx: Tx, entries: readonly NewAuditEntry[]): Promise<void> {
  const column = <T>(of: (entry: NewAuditEntry) => T) => sql.param(entries.map(of))
  await tx.execute(sql`
    with counter as (
      insert into audit_counter (last_sequence) values (${entries.length})
      on conflict (id) do update set last_sequence = audit_counter.last_sequence + excluded.last_sequence
      returning last_sequence - ${entries.length} as before)
    insert into audit_entries (sequence, bucket, event_id, event_type, aggregate_type, aggregate_id, kind, actor_id, created_at, payload)
    select counter.before + entry.ordinal, entry.bucket, entry.event_id, entry.event_type, entry.aggregate_type,
      entry.aggregate_id, entry.kind, entry.actor_id, entry.created_at, entry.payload
    from counter, unnest(
      ${column((entry) => entry.bucket)}::text[], ${column((entry) => entry.eventId)}::text[],
      ${column((entry) => entry.eventType)}::text[], ${column((entry) => entry.aggregateType)}::text[],
      ${column((entry) => entry.aggregateId)}::text[], ${column((entry) => entry.kind)}::text[],
      ${column((entry) => entry.actorId)}::text[], ${column((entry) => entry.createdAt.toISOString())}::timestamptz[],
      ${column((entry) => entry.payload)}::text[]
    ) with ordinality as entry (bucket, event_id, event_type, aggregate_type, aggregate_id, kind, actor_id, created_at, payload, ordinal)`)
  await tx.execute(sql`
    insert into audit_counts (bucket, event_type, entries)
    select bucket, event_type, count(*) from unnest(
      ${column((entry) => entry.bucket)}::text[], ${column((entry) => entry.eventType)}::text[]) as entry (bucket, event_type)
    group by bucket, event_type
    on conflict (bucket, event_type) do update set entries = audit_counts.entries + excluded.entries`)
}

export async function findEntry(db: Reader, sequence: bigint): Promise<AuditEntryRow | undefined> {
  const [row] = await db.select().from(auditEntries).where(eq(auditEntries.sequence, sequence))
  return row
}

export async function countEntries(db: Reader): Promise<bigint> {
  const [row] = await db.select({ entries: sum(auditCounts.entries) }).from(auditCounts)
  return BigInt(row?.entries ?? 0)
}

export async function listStoredTypes(db: Reader): Promise<string[]> {
  const rows = await db.selectDistinct({ eventType: auditCounts.eventType }).from(auditCounts)
  return rows.map(({ eventType }) => eventType)
}

export type LogQuery = {
  /** Entries below this sequence; undefined for the newest. */
  before: bigint | undefined
  limit: number
  /** Maximum number of entries to compare with the filter. */
  scanLimit: number
  filter: EntryFilter
}
const highestSequence = 2n ** 63n - 1n

export async function scanEntries(
  db: Reader,
  { before = highestSequence, limit, scanLimit, filter }: LogQuery,
): Promise<Scanned<AuditEntryRow>> {
  const { eventType, actorId, from, to } = filter
  const rows = await sqlRows<
    Partial<AuditEntryRow & { scanPosition: number }> & Pick<Scanned<AuditEntryRow>, 'count' | 'oldest'>
  >(
    db,
    sql`
    with scanned as materialized (
      select *, row_number() over (order by sequence desc)::int as scan_position
      from audit_entries where sequence < ${before} order by sequence desc limit ${scanLimit + 1}),
    matches as (
      select * from scanned
      where scan_position <= ${scanLimit} and (${eventType} = '' or event_type = ${eventType}) and (${actorId} = '' or actor_id = ${actorId})
        and (${from ?? null}::timestamptz is null or created_at >= ${from ?? null})
        and (${to ?? null}::timestamptz is null or created_at <= ${to ?? null})
      order by sequence desc limit ${limit})
    select totals.count, totals.oldest, matches.sequence, event_id as "eventId", event_type as "eventType",
      aggregate_type as "aggregateType", aggregate_id as "aggregateId", kind, actor_id as "actorId",
      created_at as "createdAt", payload, scan_position as "scanPosition"
    from (select count(*)::int, min(sequence) filter (where scan_position <= ${scanLimit}) as oldest from scanned) totals left join matches on true
    order by matches.sequence desc`,
  )
  const isEntry = (
    row: (typeof rows)[number],
  ): row is (typeof rows)[number] & AuditEntryRow & { scanPosition: number } => typeof row.sequence === 'bigint'
  return { entries: rows.filter(isEntry), count: rows[0]?.count ?? 0, oldest: rows[0]?.oldest ?? null }
}
