import { and, eq, gt, or, sql } from 'drizzle-orm'
import { RoomKind } from '@parley/contracts/api'
import { preparedQuery, type Reader } from '@parley/postgres'
import { anyOf } from './any-of.ts'
import type { RoomRow } from './rows.ts'
import { roomBans, roomMembers, rooms } from './schema.ts'
import { isBanActive } from './rooms.ts'

/** Standings that ended since then are still returned: the event about the end may not have been published yet. */
const threeDaysAgo = sql`now() - interval '3 days'`

/** Standing in a channel. A version is 0 if there is no membership or ban, or if it is no longer listed. */
export type StandingRow = {
  userId: string
  roomId: string
  member: boolean
  memberVersion: bigint
  banned: boolean
  banExpiresAt: Date | null
  banVersion: bigint
}

export type StandingPlace = { userId: string; roomId: string }

const findPage = preparedQuery('standings_of_users', (reader) => {
  const afterUser = sql`${sql.placeholder('afterUser')}::text`
  const userIds = sql`any(${sql.placeholder('userIds')}::text[])`
  const memberships = reader
    .select({
      userId: roomMembers.userId,
      roomId: roomMembers.roomId,
      member: roomMembers.member,
      version: roomMembers.version,
    })
    .from(roomMembers)
    .where(
      and(
        sql`${roomMembers.userId} = ${userIds} and ${roomMembers.userId} >= ${afterUser}`,
        or(eq(roomMembers.member, true), gt(roomMembers.since, threeDaysAgo)),
      ),
    )
    .as('memberships')
  const bans = reader
    .select({
      userId: roomBans.userId,
      roomId: roomBans.roomId,
      active: sql<boolean>`${isBanActive}`.as('active'),
      expiresAt: roomBans.expiresAt,
      version: roomBans.version,
    })
    .from(roomBans)
    .where(
      and(
        sql`${roomBans.userId} = ${userIds} and ${roomBans.userId} >= ${afterUser}`,
        or(eq(roomBans.banned, true), gt(roomBans.since, threeDaysAgo)),
      ),
    )
    .as('bans')
  const userId = sql<string>`coalesce(${memberships.userId}, ${bans.userId})`
  const roomId = sql<string>`coalesce(${memberships.roomId}, ${bans.roomId})`
  return reader
    .select({
      userId,
      roomId,
      member: memberships.member,
      memberVersion: memberships.version,
      banned: bans.active,
      banExpiresAt: bans.expiresAt,
      banVersion: bans.version,
    })
    .from(memberships)
    .fullJoin(bans, and(eq(bans.userId, memberships.userId), eq(bans.roomId, memberships.roomId)))
    .innerJoin(rooms, and(eq(rooms.id, roomId), eq(rooms.kind, RoomKind.CHANNEL)))
    .where(sql`(${userId}, ${roomId}) > (${afterUser}, ${sql.placeholder('afterRoom')}::text)`)
    .orderBy(userId, roomId)
    .limit(sql.placeholder('limit'))
})

/**
 * Explicit memberships and bans in channels, including recently ended ones, by user and room: the first `limit` after
 * `after`.
 */
export async function listStandings(
  reader: Reader,
  userIds: readonly string[],
  { after, limit }: { after: StandingPlace | undefined; limit: number },
): Promise<StandingRow[]> {
  const position = { afterUser: after?.userId ?? '', afterRoom: after?.roomId ?? '' }
  const rows = await findPage(reader, { userIds, limit, ...position })
  return rows.map(({ member, memberVersion, banned, banVersion, ...row }) => ({
    ...row,
    member: member ?? false,
    memberVersion: memberVersion ?? 0n,
    banned: banned ?? false,
    banVersion: banVersion ?? 0n,
  }))
}

export function findRoomRows(reader: Reader, roomIds: readonly string[]): Promise<RoomRow[]> {
  return reader.select().from(rooms).where(anyOf(rooms.id, roomIds))
}

/** Includes archived rooms, and rooms that recently stopped being universal. */
export function findUniversalRooms(reader: Reader): Promise<RoomRow[]> {
  return reader
    .select()
    .from(rooms)
    .where(
      and(eq(rooms.kind, RoomKind.CHANNEL), or(eq(rooms.universal, true), gt(rooms.universalEndedAt, threeDaysAgo))),
    )
}
