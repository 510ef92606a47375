import { and, eq } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import { handles } from './schema.ts'

export type HandleRow = typeof handles.$inferSelect

/** Takes a handle, or finds that its owner has it already; answers false when it is someone else's. */
export async function claimHandle(db: Db, handle: HandleRow): Promise<boolean> {
  await db.insert(handles).values(handle).onConflictDoNothing()
  const [held] = await db.select().from(handles).where(eq(handles.key, handle.key))
  return held?.kind === handle.kind && held.ownerId === handle.ownerId
}

export async function releaseHandles(db: Db, kind: HandleRow['kind'], ownerId: string): Promise<void> {
  await db.delete(handles).where(and(eq(handles.kind, kind), eq(handles.ownerId, ownerId)))
}
