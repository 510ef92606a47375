import { and, asc, eq, gt, or, sql } from 'drizzle-orm'
import { RoomKind } from '@parley/contracts/api'
import type { Db, Reader } from '@parley/postgres'
import { roomNameKey } from '../domain/room-name.ts'
import { anyOf } from './any-of.ts'
import type { RoomRow } from './rows.ts'
import { importedRooms, lobby, roomMembers, rooms } from './schema.ts'

/** Returns the id reserved before; if there is none, reserves `roomId`. */
export async function reserveRoomId(
  db: Db,
  from: { source: string; externalId: string },
  roomId: string,
): Promise<string> {
  await db
    .insert(importedRooms)
    .values({ ...from, roomId })
    .onConflictDoNothing()
  const { source, externalId } = importedRooms
  const [row] = await db
    .select()
    .from(importedRooms)
    .where(and(eq(source, from.source), eq(externalId, from.externalId)))
  if (!row) throw new Error('an imported room cannot be missing after its insert')
  return row.roomId
}

export async function findTakenNames(reader: Reader, names: readonly string[]): Promise<Set<string>> {
  const rows = await reader
    .select({ key: rooms.nameKey })
    .from(rooms)
    .where(anyOf(rooms.nameKey, names.map(roomNameKey)))
  return new Set(rows.flatMap(({ key }) => key ?? []))
}

export async function findMembersAmong(
  reader: Reader,
  roomId: string,
  userIds: readonly string[],
): Promise<Set<string>> {
  const rows = await reader
    .select({ userId: roomMembers.userId })
    .from(roomMembers)
    .where(and(eq(roomMembers.roomId, roomId), roomMembers.member, anyOf(roomMembers.userId, userIds)))
  return new Set(rows.map(({ userId }) => userId))
}

/** Rooms in the order of ids. If `idsOrNames` is not empty, only rooms with one of these ids or names. */
export function findRoomsAfter(
  reader: Reader,
  after: string,
  idsOrNames: readonly string[],
  limit: number,
): Promise<RoomRow[]> {
  const isListed = or(anyOf(rooms.id, idsOrNames), anyOf(rooms.nameKey, idsOrNames.map(roomNameKey)))
  return reader
    .select()
    .from(rooms)
    .where(and(gt(rooms.id, after), idsOrNames.length === 0 ? undefined : isListed))
    .orderBy(asc(rooms.id))
    .limit(limit)
}

/** Explicit members by id; in a direct message also those with deleted accounts. */
export async function findMembersAfter(
  reader: Reader,
  roomId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const found = await reader
    .select({ userId: roomMembers.userId })
    .from(roomMembers)
    .innerJoin(rooms, eq(rooms.id, roomMembers.roomId))
    .where(
      and(
        eq(roomMembers.roomId, roomId),
        or(roomMembers.member, eq(rooms.kind, RoomKind.DM)),
        gt(roomMembers.userId, after),
      ),
    )
    .orderBy(asc(roomMembers.userId))
    .limit(limit)
  return found.map(({ userId }) => userId)
}

/** The permanent id of the server: that reserved for its first group; empty if none was reserved. */
export async function findServerId(reader: Reader): Promise<string> {
  const [row] = await reader
    .select({ id: lobby.groupId })
    .from(lobby)
    .where(eq(lobby.id, sql`'server'`))
  return row?.id ?? ''
}
