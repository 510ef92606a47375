import { and, eq, gt, or, sql } from 'drizzle-orm'
import { RoomKind } from '@parley/contracts/api'
import type { Reader } from '@parley/postgres'
import { anyOf } from './any-of.ts'
import type { RoomRow } from './rows.ts'
import { roomBans, roomMembers, rooms } from './schema.ts'
import { banHolds } from './seen-rooms.ts'

/** How long an end may still have to be announced. */
const lately = sql`now() - interval '3 days'`

export type StandingRow = {
  userId: string
  roomId: string
  member: boolean
  memberVersion: bigint
  banned: boolean
  banExpiresAt: Date | null
  banVersion: bigint
}

/** Explicit memberships and bans of users, including recently ended ones. */
export async function findStandings(reader: Reader, userIds: readonly string[]): Promise<StandingRow[]> {
  const memberships = await reader
    .select({
      userId: roomMembers.userId,
      roomId: roomMembers.roomId,
      member: roomMembers.member,
      memberVersion: roomMembers.version,
    })
    .from(roomMembers)
    .where(and(anyOf(roomMembers.userId, userIds), or(eq(roomMembers.member, true), gt(roomMembers.since, lately))))
  const bans = await reader
    .select({
      userId: roomBans.userId,
      roomId: roomBans.roomId,
      banned: banHolds,
      banExpiresAt: roomBans.expiresAt,
      banVersion: roomBans.version,
    })
    .from(roomBans)
    .where(and(anyOf(roomBans.userId, userIds), or(eq(roomBans.banned, true), gt(roomBans.since, lately))))
  const standings = new Map<string, StandingRow>()
  const none = { member: false, memberVersion: 0n, banned: false, banExpiresAt: null, banVersion: 0n }
  for (const row of [...memberships, ...bans]) {
    const key = `${row.userId} ${row.roomId}`
    standings.set(key, { ...none, ...standings.get(key), ...row })
  }
  return [...standings.values()]
}

export function findHeads(reader: Reader, roomIds: readonly string[]): Promise<RoomRow[]> {
  return reader.select().from(rooms).where(anyOf(rooms.id, roomIds))
}

/** Universal rooms, including archived ones, and those that recently stopped being universal. */
export function findUniversalRooms(reader: Reader): Promise<RoomRow[]> {
  return reader
    .select()
    .from(rooms)
    .where(and(eq(rooms.kind, RoomKind.CHANNEL), or(eq(rooms.universal, true), gt(rooms.universalEndedAt, lately))))
}
