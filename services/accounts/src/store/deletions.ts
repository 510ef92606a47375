import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { enqueue, nextVersion } from '@parley/events'
import { CommitChannel, type Db, type Reader, type Tx } from '@parley/postgres'
import { erasureRequested } from '../domain/deletion-announcements.ts'
import { deletionReports, deletions } from './schema.ts'
import { lockUser, raiseVersion } from './users.ts'

export type Deletion = { userId: string; pass: number; askedAt: Date }

/** Wakes the job that finishes deletions. */
export const deletionChanges = new CommitChannel()

export async function insertDeletion(tx: Tx, userId: string, at: Date): Promise<void> {
  await tx.insert(deletions).values({ userId, requestedAt: at, askedAt: at })
  deletionChanges.notify(tx)
}

export async function getRequestedPass(db: Reader, userId: string): Promise<number> {
  const [deletion] = await db.select({ pass: deletions.pass }).from(deletions).where(eq(deletions.userId, userId))
  return deletion?.pass ?? 0
}

export type OpenDeletion = { userId: string; position: string }

export async function listOpenDeletions(
  db: Reader,
  after: OpenDeletion | undefined,
  limit: number,
): Promise<OpenDeletion[]> {
  const { askedAt, completedAt, userId } = deletions
  const isAfter = after && sql`(${askedAt}, ${userId}) > (${after.position}::timestamptz, ${after.userId})`
  return db
    .select({ userId, position: sql<string>`${askedAt}::text` })
    .from(deletions)
    .where(and(isNull(completedAt), isAfter))
    .orderBy(asc(askedAt), asc(userId))
    .limit(limit)
}

/** Undefined if the deletion is complete or another process has locked it. */
export async function lockDeletion(tx: Tx, userId: string): Promise<Deletion | undefined> {
  const { pass, askedAt } = deletions
  const [deletion] = await tx
    .select({ userId: deletions.userId, pass, askedAt })
    .from(deletions)
    .where(and(eq(deletions.userId, userId), isNull(deletions.completedAt)))
    .for('update', { skipLocked: true })
  return deletion
}

export async function findReports(reader: Reader, userId: string, pass: number): Promise<Map<string, bigint>> {
  const rows = await reader
    .select({ service: deletionReports.service, found: deletionReports.found })
    .from(deletionReports)
    .where(and(eq(deletionReports.userId, userId), eq(deletionReports.pass, pass)))
  return new Map(rows.map(({ service, found }) => [service, found]))
}

/** If several processes of a service report the same pass, the largest number is kept. */
export async function saveReport(db: Db, report: Omit<typeof deletionReports.$inferInsert, 'reportedAt'>, at: Date) {
  await db
    .insert(deletionReports)
    .values({ ...report, reportedAt: at })
    .onConflictDoUpdate({
      target: [deletionReports.userId, deletionReports.pass, deletionReports.service],
      set: { found: sql`greatest(${deletionReports.found}, excluded.found)`, reportedAt: at },
    })
  deletionChanges.notify(db)
}

export async function requestPass(tx: Tx, userId: string, pass: number, at: Date): Promise<bigint[]> {
  const user = await lockUser(tx, userId)
  if (!user) return []
  const version = nextVersion(user.version, at)
  await raiseVersion(tx, userId, version)
  await tx.update(deletions).set({ pass, askedAt: at }).where(eq(deletions.userId, userId))
  const about = { aggregateType: 'user', aggregateId: userId, version, occurredAt: at, actorId: '' } as const
  return enqueue(tx, { ...about, ...erasureRequested(pass) })
}

export async function completeDeletion(tx: Tx, userId: string, at: Date): Promise<void> {
  await tx.update(deletions).set({ completedAt: at }).where(eq(deletions.userId, userId))
}
