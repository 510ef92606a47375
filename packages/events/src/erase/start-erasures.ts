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
const everyMs = 500

/** What a service found of a deleted account in one pass. */
export type ErasureReport = { userId: string; pass: number; found: bigint }

/** How a service takes part in the deletion of accounts. */
export type ErasureOptions = Pick<Database, 'db'> & {
  /** The connection for events. */
  bus: Bus
  /** Deployable. */
  service: string
  /**
   * Erases what the service keeps of an account, in bounded transactions, and returns how many rows, objects and the like
   * it found; 0 says that nothing was left. Repeated after a crash and by several processes at once.
   */
  erase: (userId: string, signal: AbortSignal) => Promise<number>
  /** Tells accounts; resolves when it is noted there. */
  report: (report: ErasureReport, signal: AbortSignal) => Promise<unknown>
} & Pick<ConsumerOptions, 'redelivery'>

/**
 * Erases what accounts asks for: the request is noted in `erasures` first, from when on the user may write nothing (see
 * {@link refuseErased}), then a job erases and reports, as often as it takes. Any process of the service may do it.
 */
export async function startErasures(options: ErasureOptions): Promise<AsyncDisposable> {
  const { db, bus, service } = options
  await using opened = new Resources()
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
        // Asked again for a pass: accounts may have lost the report.
        const again = { target: [erasures.userId, erasures.pass], set: { reportedAt: null } }
        await tx.insert(erasures).values({ userId, pass: fact.value.pass }).onConflictDoUpdate(again)
      },
    }),
  )
  const run = (signal: AbortSignal) => eraseAll(options, signal)
  opened.use(periodically({ name: `${service} erasures`, everyMs, run }))
  return opened.move()
}

async function eraseAll(options: ErasureOptions, signal: AbortSignal): Promise<void> {
  const { service } = options
  for (const pass of await waiting(options.db)) {
    signal.throwIfAborted()
    try {
      await eraseOnce(options, pass, signal)
      erasurePassed(service)
    } catch (error) {
      if (signal.aborted) return
      erasureFailed(service)
      log.warn({ service, userId: pass.userId, pass: pass.pass, reason: reasonOf(error) }, 'erasing comes again')
    }
  }
}

type Pass = { userId: string; pass: number }

/** Passes that nobody has reported, oldest first. */
function waiting(db: Db): Promise<Pass[]> {
  return db
    .select({ userId: erasures.userId, pass: erasures.pass })
    .from(erasures)
    .where(isNull(erasures.reportedAt))
    .orderBy(asc(erasures.requestedAt))
    .limit(passesPerRound)
}

async function eraseOnce({ db, erase, report }: ErasureOptions, pass: Pass, signal: AbortSignal): Promise<void> {
  const { userId } = pass
  const isPass = and(eq(erasures.userId, userId), eq(erasures.pass, pass.pass))
  const count = (await erase(userId, signal)) + (await eraseParked(db, userId))
  const [row] = await db
    .update(erasures)
    .set({ found: sql`${erasures.found} + ${count}` })
    .where(isPass)
    .returning({ found: erasures.found })
  await report({ ...pass, found: row?.found ?? BigInt(count) }, signal)
  await db
    .update(erasures)
    .set({ reportedAt: sql`now()` })
    .where(isPass)
}
