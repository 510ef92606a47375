import { sql } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import { streamRecovery } from '../schema.ts'

/** State of the stream when durables were recreated. */
export type StreamState = {
  created: string
  newest: { seq: number; eventId: string } | undefined
}

export type Recovery = StreamState & {
  agoMs: number
}

/**
 * Must call `assertHeld` before each step, at least every 2 s. `assertHeld` rejects if another process has taken over.
 */
type Work = (last: Recovery | undefined, assertHeld: () => Promise<unknown>) => Promise<StreamState | undefined>

export type Recoveries = {
  /**
   * Runs `work` while no other process does. A returned state is recorded as a recovery at the time at which `work`
   * started; undefined records nothing. If the process dies or stalls for two seconds, another one takes over.
   */
  runExclusively(work: Work): Promise<void>
  /** Adds to the number of lost events, unless a report with this id was added before. */
  addLost(events: number, report: string): Promise<void>
}

export type RecoverySummary = {
  generation: number
  recoveredAt: Date | undefined
  /** Events that left the outbox and the stream before every consumer had handled them. */
  lostEvents: bigint
}

/**
 * Consumer name under which the inbox records reports of lost events: a process repeats a report until it is answered.
 */
const lostReports = 'lost-events'

type Row = {
  generation: number
  ago_ms: number | null
  created: string
  newest_seq: bigint | null
  newest_event_id: string | null
}

/**
 * Records recoveries in admin's database. A row lock serves as the lease: PostgreSQL ends it when the transaction is
 * idle for too long.
 */
export function recoveriesIn(db: Db): Recoveries {
  return {
    runExclusively: (work) =>
      db.transaction(async (tx) => {
        await tx.execute(sql`insert into stream_recovery (id) values (1) on conflict do nothing`)
        const { rows } = await tx.execute<Row>(sql`
          select generation, (extract(epoch from clock_timestamp() - recovered_at) * 1000)::float8 as ago_ms,
            stream_created as created, newest_seq, newest_event_id
          from stream_recovery for update`)
        const startedAt = await tx.execute<{ at: Date }>(sql`select clock_timestamp() as at`)
        const result = await work(rows[0] && toRecovery(rows[0]), () => tx.execute('select 1'))
        if (result === undefined) return
        await tx.execute(sql`
          update stream_recovery set generation = generation + 1, recovered_at = ${startedAt.rows[0]?.at},
            stream_created = ${result.created}, newest_seq = ${result.newest?.seq ?? null},
            newest_event_id = ${result.newest?.eventId ?? null}`)
      }),
    async addLost(events, report) {
      await db.execute(sql`
        with noted as (
          insert into inbox (consumer, event_id) values (${lostReports}, ${report}) on conflict do nothing returning 1
        ), old as (
          delete from inbox where consumer = ${lostReports} and received_at < now() - interval '3 days'
        )
        insert into stream_recovery as r (id, lost_events) select 1, ${events}::bigint from noted
        on conflict (id) do update set lost_events = r.lost_events + ${events}::bigint`)
    },
  }
}

function toRecovery({ ago_ms, created, newest_seq, newest_event_id }: Row): Recovery | undefined {
  if (ago_ms === null) return undefined
  const newest =
    newest_seq === null || newest_event_id === null ? undefined : { seq: Number(newest_seq), eventId: newest_event_id }
  return { agoMs: ago_ms, created, newest }
}

export async function readRecoveries(db: Db): Promise<RecoverySummary> {
  const [row] = await db.select().from(streamRecovery)
  return {
    generation: row?.generation ?? 0,
    recoveredAt: row?.recoveredAt ?? undefined,
    lostEvents: row?.lostEvents ?? 0n,
  }
}

export function recoveriesInMemory(): Recoveries {
  let last: { state: StreamState; at: number } | undefined
  let previous: Promise<void> = Promise.resolve()
  return {
    runExclusively(work) {
      const run = previous.then(async () => {
        const at = performance.now()
        const state = await work(last && { ...last.state, agoMs: at - last.at }, () => Promise.resolve())
        if (state !== undefined) last = { state, at }
      })
      previous = run.catch(() => undefined)
      return run
    },
    addLost: () => Promise.resolve(),
  }
}
