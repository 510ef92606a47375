import { sql } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import { streamRecovery } from '../schema.ts'

/** State of the stream when durables were recreated. */
export type StreamState = {
  /** Creation time of the stream, as reported by its server. */
  created: string
  /** Its newest event; undefined when it held none. */
  newest: { seq: number; eventId: string } | undefined
}

/** The last recovery. */
export type Recovery = StreamState & {
  /** Milliseconds since it began. */
  agoMs: number
}

/** Must call `held` before each step, at least every two seconds; it rejects if another process has taken over. */
type Work = (last: Recovery | undefined, held: () => Promise<unknown>) => Promise<StreamState | undefined>

/** Where recoveries of the stream are recorded, for all keeper processes. */
export type Recoveries = {
  /**
   * Runs `work` while no other process recovers. Its result is recorded as a recovery that began when `work` did;
   * undefined records nothing. If the process dies or stalls for two seconds, another one takes over.
   */
  turn(work: Work): Promise<void>
  /** Adds to the number of lost events, once per report, even if the report is repeated. */
  addLost(events: number, report: string): Promise<void>
}

/** Recorded losses of the stream. */
export type RecoverySummary = {
  /** How often durables were recreated. */
  generation: number
  /** Time of the last recovery; undefined if there was none. */
  recoveredAt: Date | undefined
  /** Events that left outbox and stream before every consumer had handled them. */
  lostEvents: bigint
}

/** Name under which reports of lost events are recorded. A process repeats its report as long as it lives. */
const lostReports = 'lost-events'

type Row = {
  generation: number
  ago_ms: number | null
  created: string
  newest_seq: bigint | null
  newest_event_id: string | null
}

/**
 * Records recoveries in admin's database. The row's lock is the lease; PostgreSQL ends it when the transaction idles.
 */
export function recoveriesIn(db: Db): Recoveries {
  return {
    turn: (work) =>
      db.transaction(async (tx) => {
        await tx.execute(sql`insert into stream_recovery (id) values (1) on conflict do nothing`)
        const { rows } = await tx.execute<Row>(sql`
          select generation, (extract(epoch from clock_timestamp() - recovered_at) * 1000)::float8 as ago_ms,
            stream_created as created, newest_seq, newest_event_id
          from stream_recovery for update`)
        const began = await tx.execute<{ at: Date }>(sql`select clock_timestamp() as at`)
        const made = await work(rows[0] && toRecovery(rows[0]), () => tx.execute('select 1'))
        if (made === undefined) return
        await tx.execute(sql`
          update stream_recovery set generation = generation + 1, recovered_at = ${began.rows[0]?.at},
            stream_created = ${made.created}, newest_seq = ${made.newest?.seq ?? null},
            newest_event_id = ${made.newest?.eventId ?? null}`)
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

/** Reads what {@link recoveriesIn} recorded. */
export async function readRecoveries(db: Db): Promise<RecoverySummary> {
  const [row] = await db.select().from(streamRecovery)
  return {
    generation: row?.generation ?? 0,
    recoveredAt: row?.recoveredAt ?? undefined,
    lostEvents: row?.lostEvents ?? 0n,
  }
}

/** Records recoveries in memory, for a keeper with a single process. */
export function recoveriesHere(): Recoveries {
  let last: { state: StreamState; at: number } | undefined
  let turn: Promise<void> = Promise.resolve()
  return {
    turn(work) {
      const mine = turn.then(async () => {
        const at = performance.now()
        const state = await work(last && { ...last.state, agoMs: at - last.at }, () => Promise.resolve())
        if (state !== undefined) last = { state, at }
      })
      turn = mine.catch(() => undefined)
      return mine
    },
    addLost: () => Promise.resolve(),
  }
}
