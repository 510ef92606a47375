import { and, eq, inArray, isNull, or } from 'drizzle-orm'
import type { Db, Reader } from '@parley/postgres'
import { handles, users } from './schema.ts'
import { roleIds } from './users.ts'

export type HandleRow = typeof handles.$inferSelect

/** False if the handle belongs to another user or role. */
export async function claimHandle(db: Db, handle: HandleRow): Promise<boolean> {
  await db.insert(handles).values(handle).onConflictDoNothing()
  const [held] = await db.select().from(handles).where(eq(handles.key, handle.key))
  return held?.kind === handle.kind && held.ownerId === handle.ownerId
}

export async function releaseHandles(db: Db, kind: HandleRow['kind'], ownerId: string): Promise<void> {
  await db.delete(handles).where(and(eq(handles.kind, kind), eq(handles.ownerId, ownerId)))
}

export async function findHandles(db: Reader, keys: readonly string[]): Promise<(HandleRow & { roleIds: string[] })[]> {
  if (keys.length === 0) return []
  return db
    .select({ key: handles.key, kind: handles.kind, ownerId: handles.ownerId, roleIds })
    .from(handles)
    .leftJoin(users, and(eq(handles.kind, 'login'), eq(users.id, handles.ownerId)))
    .where(and(inArray(handles.key, [...keys]), or(eq(handles.kind, 'role'), isNull(users.deletedAt))))
}
