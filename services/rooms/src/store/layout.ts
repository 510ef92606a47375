import { and, asc, eq, sql } from 'drizzle-orm'
import type { Reader, Tx } from '@parley/postgres'
import { anyOf } from './any-of.ts'
import type { GroupRow, LinkRow } from './rows.ts'
import { layout, layoutItems, roomGroups, rooms, sidebarLinks } from './schema.ts'

/** Locks the layout for the change that follows, before any room is locked, and gives its next version. */
export async function nextLayoutVersion(tx: Tx): Promise<bigint> {
  const [row] = await tx
    .insert(layout)
    .values({ id: 'server', version: 1n })
    .onConflictDoUpdate({ target: layout.id, set: { version: sql`${layout.version} + 1` } })
    .returning({ version: layout.version })
  if (!row) throw new Error('the layout row cannot be missing after an upsert')
  return row.version
}

/** Puts an item at the end of a group; the layout is locked. */
export async function appendItem(tx: Tx, groupId: string, kind: 'room' | 'link', itemId: string): Promise<void> {
  const [last] = await tx
    .select({ position: sql<number>`coalesce(max(${layoutItems.position}), 0)` })
    .from(layoutItems)
    .where(eq(layoutItems.groupId, groupId))
  await tx.insert(layoutItems).values({ itemId, kind, groupId, position: (last?.position ?? 0) + 1 })
}

/** Puts a group below the others; the layout is locked. */
export async function appendGroup(tx: Tx, group: Omit<GroupRow, 'position'>): Promise<void> {
  const [last] = await tx.select({ position: sql<number>`coalesce(max(${roomGroups.position}), 0)` }).from(roomGroups)
  await tx.insert(roomGroups).values({ ...group, position: (last?.position ?? 0) + 1 })
}

export async function groupExists(reader: Reader, groupId: string): Promise<boolean> {
  const found = await reader.select({ id: roomGroups.id }).from(roomGroups).where(eq(roomGroups.id, groupId))
  return found.length > 0
}

/** Groups in sidebar order; all of them without ids. */
export function findGroups(reader: Reader, groupIds?: readonly string[]): Promise<GroupRow[]> {
  return reader
    .select()
    .from(roomGroups)
    .where(groupIds && anyOf(roomGroups.id, groupIds))
    .orderBy(asc(roomGroups.position), asc(roomGroups.id))
}

export type ItemRow = { groupId: string; itemId: string; link: LinkRow | null }

/** Items of these groups, each group in its order. An item without a link is a room. */
export function findItems(reader: Reader, groupIds: readonly string[]): Promise<ItemRow[]> {
  return reader
    .select({ groupId: layoutItems.groupId, itemId: layoutItems.itemId, link: sidebarLinks })
    .from(layoutItems)
    .leftJoin(sidebarLinks, and(eq(layoutItems.kind, 'link'), eq(sidebarLinks.id, layoutItems.itemId)))
    .where(anyOf(layoutItems.groupId, groupIds))
    .orderBy(asc(layoutItems.groupId), asc(layoutItems.position), asc(layoutItems.itemId))
}

export type ChannelRow = { groupId: string; roomId: string; name: string }

/** Every channel that is not archived, those of each group in its order. */
export function findChannelsInOrder(reader: Reader): Promise<ChannelRow[]> {
  return reader
    .select({ groupId: layoutItems.groupId, roomId: rooms.id, name: rooms.name })
    .from(layoutItems)
    .innerJoin(rooms, and(eq(layoutItems.kind, 'room'), eq(rooms.id, layoutItems.itemId)))
    .where(eq(rooms.archived, false))
    .orderBy(asc(layoutItems.groupId), asc(layoutItems.position), asc(layoutItems.itemId))
}
