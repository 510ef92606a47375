import { asc, eq, sql } from 'drizzle-orm'
import type { Reader, Tx } from '@parley/postgres'
import { anyOf } from './any-of.ts'
import type { GroupRow } from './rows.ts'
import { layoutItems, roomGroups, rooms } from './schema.ts'

export async function groupExists(reader: Reader, groupId: string): Promise<boolean> {
  const found = await reader.select({ id: roomGroups.id }).from(roomGroups).where(eq(roomGroups.id, groupId))
  return found.length > 0
}

/** Groups in sidebar order; all of them if `groupIds` is missing. */
export function findGroups(reader: Reader, groupIds?: readonly string[]): Promise<GroupRow[]> {
  return reader
    .select()
    .from(roomGroups)
    .where(groupIds && anyOf(roomGroups.id, groupIds))
    .orderBy(asc(roomGroups.position), asc(roomGroups.id))
}

/** The layout must be locked. */
export async function appendGroup(tx: Tx, group: Omit<GroupRow, 'position'>): Promise<void> {
  const [last] = await tx.select({ position: sql<number>`coalesce(max(${roomGroups.position}), 0)` }).from(roomGroups)
  await tx.insert(roomGroups).values({ ...group, position: (last?.position ?? 0) + 1 })
}

export async function updateGroup(
  tx: Tx,
  groupId: string,
  fields: Pick<GroupRow, 'name' | 'description'>,
): Promise<void> {
  await tx.update(roomGroups).set(fields).where(eq(roomGroups.id, groupId))
}

/** `groupIds` must be complete; the layout must be locked. */
export async function orderGroups(tx: Tx, groupIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    update room_groups set position = ordered.ordinal
    from unnest(${sql.param([...groupIds])}::text[]) with ordinality as ordered (id, ordinal)
    where room_groups.id = ordered.id`)
}

export async function isGroupEmpty(reader: Reader, groupId: string): Promise<boolean> {
  const [items, roomsOfGroup] = [
    await reader.select({ id: layoutItems.itemId }).from(layoutItems).where(eq(layoutItems.groupId, groupId)).limit(1),
    await reader.select({ id: rooms.id }).from(rooms).where(eq(rooms.groupId, groupId)).limit(1),
  ]
  return items.length + roomsOfGroup.length === 0
}

export async function deleteGroup(tx: Tx, groupId: string): Promise<void> {
  await tx.delete(roomGroups).where(eq(roomGroups.id, groupId))
}
