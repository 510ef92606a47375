import { and, asc, eq, sql } from 'drizzle-orm'
import { versionOfNow } from '@parley/events'
import type { Reader, Tx } from '@parley/postgres'
import { anyOf } from './any-of.ts'
import type { LinkRow, RoomRow } from './rows.ts'
import { layout, layoutItems, rooms, sidebarLinks } from './schema.ts'

/** Locks the layout and raises its version. The caller must not have locked a room before. */
export async function nextLayoutVersion(tx: Tx): Promise<bigint> {
  const [row] = await tx
    .insert(layout)
    .values({ id: 'server', version: sql.raw(versionOfNow) })
    .onConflictDoUpdate({
      target: layout.id,
      set: { version: sql`greatest(${layout.version} + 1, excluded.version)` },
    })
    .returning({ version: layout.version })
  if (!row) throw new Error('the layout row cannot be missing after an upsert')
  return row.version
}

/** The layout must be locked. */
export async function appendItem(tx: Tx, groupId: string, kind: 'room' | 'link', itemId: string): Promise<void> {
  const [last] = await tx
    .select({ position: sql<number>`coalesce(max(${layoutItems.position}), 0)` })
    .from(layoutItems)
    .where(eq(layoutItems.groupId, groupId))
  await tx.insert(layoutItems).values({ itemId, kind, groupId, position: (last?.position ?? 0) + 1 })
}

/** The layout must be locked. */
export async function moveItem(tx: Tx, itemId: string, groupId: string): Promise<void> {
  const position = sql`(select coalesce(max(position), 0) + 1 from layout_items where group_id = ${groupId})`
  await tx.update(layoutItems).set({ groupId, position }).where(eq(layoutItems.itemId, itemId))
}

/** `itemIds` must be complete; the layout must be locked. */
export async function orderItems(tx: Tx, groupId: string, itemIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    update layout_items set position = ordered.ordinal
    from unnest(${sql.param([...itemIds])}::text[]) with ordinality as ordered (id, ordinal)
    where item_id = ordered.id and group_id = ${groupId}`)
}

export type ItemRow = { groupId: string; itemId: string; link: LinkRow | null }

const inOrder = [asc(layoutItems.groupId), asc(layoutItems.position), asc(layoutItems.itemId)]
const isTheLink = and(eq(layoutItems.kind, 'link'), eq(sidebarLinks.id, layoutItems.itemId))
const isTheRoom = and(eq(layoutItems.kind, 'room'), eq(rooms.id, layoutItems.itemId))

/** An item without a link is a room. */
export function findItems(reader: Reader, groupIds: readonly string[]): Promise<ItemRow[]> {
  return reader
    .select({ groupId: layoutItems.groupId, itemId: layoutItems.itemId, link: sidebarLinks })
    .from(layoutItems)
    .leftJoin(sidebarLinks, isTheLink)
    .where(anyOf(layoutItems.groupId, groupIds))
    .orderBy(...inOrder)
}

export type PlacedItem = { groupId: string; room: RoomRow | null; link: LinkRow | null }

/** Includes archived rooms. */
export function findPlacedItems(reader: Reader, groupIds: readonly string[]): Promise<PlacedItem[]> {
  return reader
    .select({ groupId: layoutItems.groupId, room: rooms, link: sidebarLinks })
    .from(layoutItems)
    .leftJoin(sidebarLinks, isTheLink)
    .leftJoin(rooms, isTheRoom)
    .where(anyOf(layoutItems.groupId, groupIds))
    .orderBy(...inOrder)
}

export type ChannelRow = { groupId: string; roomId: string; name: string }

/** Channels by group id, then in the group's order, without archived ones. */
export function findChannelsInOrder(reader: Reader): Promise<ChannelRow[]> {
  return reader
    .select({ groupId: layoutItems.groupId, roomId: rooms.id, name: rooms.name })
    .from(layoutItems)
    .innerJoin(rooms, isTheRoom)
    .where(eq(rooms.archived, false))
    .orderBy(...inOrder)
}
