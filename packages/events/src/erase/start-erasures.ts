import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Database, Db } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { periodically, Resources } from '@parley/runtime'
import { logger } from '@parley/telemetry'
import { reasonOf } from '../consume/failures.ts'
import { consumeEvents, type ConsumerOptions } from '../consume/consume-events.ts'
import { countErasureFailure, countErasurePass } from '../metrics.ts'
import { erasures } from '../schema.ts'
import { eraseParked } from './parked.ts'

const log = logger('erasure')
const passesPerRun = 20
const defaultPollMs = 30_000
const retryMs = 500

/** `found`: amount of data that a service found in all runs of the pass. */
export type ErasureReport = { userId: string; pass: number; found: bigint }

export type ErasureOptions = Pick<Database, 'db'> & {
  bus: Bus
  service: string
  /**
   * Erases the data of an account in bounded transactions. Returns the number of rows, objects and the like that it
   * found; 0 if nothing was left. May run several times, also at once in several processes.
   */
  erase: (userId: string, signal: AbortSignal) => Promise<number>
  /** Resolves once accounts has stored the report. */
  report: (report: ErasureReport, signal: AbortSignal) => Promise<unknown>
  /** How often to poll for passes that a dead process left unfinished. Default: 30 s. */
  pollMs?: number
} & Pick<ConsumerOptions, 'redelivery'>

/**
 * Erases the data of deleted accounts at the request of accounts. A request is stored in `erasures`; from then on the
 * user cannot write anything (see {@link refuseErased}). Any process erases the data and reports, until both succeed.
 */
export async function startErasures(options: ErasureOptions): Promise<AsyncDisposable> {
  const { db, bus, service, pollMs: everyMs = defaultPollMs } = options
  await using opened = new Resources()
  const name = `${service} erasures`
  const erasing = opened.use(periodically({ name, everyMs, afterFailureMs: retryMs, run: createPassRunner(options) }))
  opened.use(
    await consumeEvents({
      bus,
      db,
      service,
      durable: 'erasures',
      subject: 'evt.user.*.erasure_requested',
      ...(options.redelivery && { redelivery: options.redelivery }),
      on: async ({ aggregateId: userId, fact }, tx) => {
        if (fact.case !== 'erasureRequested') return
        const again = { target: [erasures.userId, erasures.pass], set: { reportedAt: null } }
        await tx.insert(erasures).values({ userId, pass: fact.value.pass }).onConflictDoUpdate(again)
        return () => erasing.wake()
      },
    }),
  )
  return opened.move()
}

/**
 * A run attempts at most 20 passes. If more may wait, the next run continues after them, so that failing passes do not
 * block others. A run resolves with the milliseconds until the next run, if that must come early.
 */
function createPassRunner(options: ErasureOptions): (signal: AbortSignal) => Promise<number | void> {
  const { service } = options
  let after: Waiting | undefined
  return async (signal) => {
    const passes = await readWaiting(options.db, after)
    after = passes.length < passesPerRun ? undefined : passes.at(-1)
    let failed = false
    for (const pass of passes) {
      signal.throwIfAborted()
      try {
        await eraseOnce(options, pass, signal)
        countErasurePass(service)
      } catch (error) {
        if (signal.aborted) return
        failed = true
        countErasureFailure(service)
        log.warn(
          { service, userId: pass.userId, pass: pass.pass, reason: reasonOf(error) },
          'erasing an account failed; it will be retried',
        )
      }
    }
    if (failed) return retryMs
    if (after !== undefined) return 0
  }
}

type Pass = { userId: string; pass: number }
type Waiting = Pass & { requestedAtText: string }

function readWaiting(db: Db, after: Waiting | undefined): Promise<Waiting[]> {
  const { pass, reportedAt, requestedAt, userId } = erasures
  const afterCursor =
    after &&
    sql`(${requestedAt}, ${userId}, ${pass}) > (${after.requestedAtText}::timestamptz, ${after.userId}, ${after.pass}::int)`
  return db
    .select({ userId, pass, requestedAtText: sql<string>`${requestedAt}::text` })
    .from(erasures)
    .where(and(isNull(reportedAt), afterCursor))
    .orderBy(asc(requestedAt), asc(userId), asc(pass))
    .limit(passesPerRun)
}

async function eraseOnce(
  { db, erase, report }: ErasureOptions,
  { userId, pass }: Pass,
  signal: AbortSignal,
): Promise<void> {
  const isPass = and(eq(erasures.userId, userId), eq(erasures.pass, pass))
  const count = (await erase(userId, signal)) + (await eraseParked(db, userId))
  const [row] = await db
    .update(erasures)
    .set({ found: sql`${erasures.found} + ${count}` })
    .where(isPass)
    .returning({ found: erasures.found })
  await report({ userId, pass, found: row?.found ?? BigInt(count) }, signal)
  await db
    .update(erasures)
    .set({ reportedAt: sql`now()` })
    .where(isPass)
}
