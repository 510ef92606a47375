import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Database, Db } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { periodically, Resources } from '@parley/runtime'
import { logger } from '@parley/telemetry'
import { reasonOf } from '../consume/failures.ts'
import { consumeEvents, type ConsumerOptions } from '../consume/consume-events.ts'
import { erasureFailed, erasurePassed } from '../metrics.ts'
import { erasures } from '../schema.ts'
import { eraseParked } from './parked.ts'

const log = logger('erasure')
const passesPerRound = 20
const defaultPollMs = 30_000
const tryAgainMs = 500

/** The amount of data of a deleted account that a service found in one pass. */
export type ErasureReport = { userId: string; pass: number; found: bigint }

/** How a service takes part in the deletion of accounts. */
export type ErasureOptions = Pick<Database, 'db'> & {
  /** The connection for events. */
  bus: Bus
  /** Deployable. */
  service: string
  /**
   * Erases what the service keeps of an account, in bounded transactions, and returns how many rows, objects and the
   * like it found; 0 means that nothing was left. Repeated after a crash and by several processes at once.
   */
  erase: (userId: string, signal: AbortSignal) => Promise<number>
  /** Reports to accounts; resolves once accounts has stored it. */
  report: (report: ErasureReport, signal: AbortSignal) => Promise<unknown>
  /** How often to look for passes that a dead process left. Default: 30 s. */
  pollMs?: number
} & Pick<ConsumerOptions, 'redelivery'>

/**
 * Erases the accounts that accounts requests. The request is stored in `erasures` first, and from then on the user
 * cannot write anything (see {@link refuseErased}); then a job of any process of the service erases and reports, and is
 * repeated until it succeeds.
 */
export async function startErasures(options: ErasureOptions): Promise<AsyncDisposable> {
  const { db, bus, service, pollMs: everyMs = defaultPollMs } = options
  await using opened = new Resources()
  const name = `${service} erasures`
  const erasing = opened.use(periodically({ name, everyMs, afterFailureMs: tryAgainMs, run: eraser(options) }))
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
        // Requested again, because accounts may have lost the report.
        const again = { target: [erasures.userId, erasures.pass], set: { reportedAt: null } }
        await tx.insert(erasures).values({ userId, pass: fact.value.pass }).onConflictDoUpdate(again)
        return () => erasing.wake()
      },
    }),
  )
  return opened.move()
}

/**
 * Runs due erasure passes. Each round continues after the last pass of the previous one, so that failing passes do not
 * block others. Resolves with the milliseconds until the next round, if one is due.
 */
function eraser(options: ErasureOptions): (signal: AbortSignal) => Promise<number | void> {
  const { service } = options
  let after: Waiting | undefined
  return async (signal) => {
    const passes = await waiting(options.db, after)
    after = passes.length < passesPerRound ? undefined : passes.at(-1)
    let failed = false
    for (const pass of passes) {
      signal.throwIfAborted()
      try {
        await eraseOnce(options, pass, signal)
        erasurePassed(service)
      } catch (error) {
        if (signal.aborted) return
        failed = true
        erasureFailed(service)
        log.warn(
          { service, userId: pass.userId, pass: pass.pass, reason: reasonOf(error) },
          'erasing an account failed; it will be retried',
        )
      }
    }
    if (failed) return tryAgainMs
    if (after !== undefined) return 0
  }
}

type Pass = { userId: string; pass: number }
/** A waiting pass and its place in the queue. */
type Waiting = Pass & { place: string }

/** Unreported passes, oldest first, after the one that was tried last, if any. */
function waiting(db: Db, after: Waiting | undefined): Promise<Waiting[]> {
  const { pass, reportedAt, requestedAt, userId } = erasures
  const further =
    after &&
    sql`(${requestedAt}, ${userId}, ${pass}) > (${after.place}::timestamptz, ${after.userId}, ${after.pass}::int)`
  return db
    .select({ userId, pass, place: sql<string>`${requestedAt}::text` })
    .from(erasures)
    .where(and(isNull(reportedAt), further))
    .orderBy(asc(requestedAt), asc(userId), asc(pass))
    .limit(passesPerRound)
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
