import { count, eq } from 'drizzle-orm'
import { RoomKind } from '@parley/contracts/api'
import type { Reader } from '@parley/postgres'
import { roomNameKey } from '../domain/room-name.ts'
import { rooms } from './schema.ts'

export async function anyChannelExists(reader: Reader): Promise<boolean> {
  const found = await reader.select({ id: rooms.id }).from(rooms).where(eq(rooms.kind, RoomKind.CHANNEL)).limit(1)
  return found.length > 0
}

/** Archived rooms keep their names. */
export async function isNameTaken(reader: Reader, name: string): Promise<boolean> {
  const found = await reader
    .select({ id: rooms.id })
    .from(rooms)
    .where(eq(rooms.nameKey, roomNameKey(name)))
  return found.length > 0
}

export async function countRooms(reader: Reader): Promise<{ channels: number; dms: number }> {
  const rows = await reader.select({ kind: rooms.kind, count: count() }).from(rooms).groupBy(rooms.kind)
  const of = (kind: RoomKind) => rows.find((row) => row.kind === kind)?.count ?? 0
  return { channels: of(RoomKind.CHANNEL), dms: of(RoomKind.DM) }
}
