import { and, eq, sql, type SQL } from 'drizzle-orm'
import { RoomKind } from '@parley/contracts/api'
import { preparedQuery, type Reader } from '@parley/postgres'
import { roomNotFound } from '../errors.ts'
import { isDmOfOthers } from '../policy/visibility.ts'
import type { Standing } from '../policy/standing.ts'
import type { RoomRow, ShownRoom } from './rows.ts'
import { roomBans, roomMembers, rooms } from './schema.ts'

const isMember = sql<boolean>`coalesce(${roomMembers.member}, false)`
/** An expired ban is inactive, even before the fact about its end. */
export const isBanActive = sql<boolean>`coalesce(${roomBans.banned} and (${roomBans.expiresAt} is null or ${roomBans.expiresAt} > now()), false)`

/** Includes ended memberships: a participant leaves only when their account is deleted. */
const dmMemberIds = sql<string[]>`case when ${eq(rooms.kind, RoomKind.DM)} then array(
  select m.user_id from room_members m where m.room_id = ${rooms.id} order by m.user_id) else '{}' end`
const columns = { room: rooms, member: isMember, banned: isBanActive, dmMemberIds }

type Found = { room: RoomRow; dmMemberIds: string[] } & Standing

const toShown = ({ room, member, banned, dmMemberIds }: Found): ShownRoom => ({
  room,
  standing: { member, banned },
  dmMemberIds,
})

/** Rooms with one user's standing, in one statement. `where` may add placeholders. */
function shownRooms<Values extends { userId: string }>(name: string, where: SQL | undefined, order: SQL) {
  const userId = sql.placeholder('userId')
  const find = preparedQuery(name, (reader) =>
    reader
      .select(columns)
      .from(rooms)
      .leftJoin(roomMembers, and(eq(roomMembers.roomId, rooms.id), eq(roomMembers.userId, userId)))
      .leftJoin(roomBans, and(eq(roomBans.roomId, rooms.id), eq(roomBans.userId, userId)))
      .where(where)
      .orderBy(order),
  )
  return async (reader: Reader, values: Values): Promise<ShownRoom[]> => (await find(reader, values)).map(toShown)
}

const byIds = shownRooms<{ userId: string; roomIds: readonly string[] }>(
  'rooms_by_ids',
  sql`${rooms.id} = any(${sql.placeholder('roomIds')})`,
  sql`${rooms.id}`,
)

/** Rooms in the order of ids; unknown ids are left out. */
export function findRooms(reader: Reader, userId: string, roomIds: readonly string[]): Promise<ShownRoom[]> {
  return byIds(reader, { userId, roomIds })
}

const ofPerson = shownRooms<{ userId: string; roomIds: readonly string[] }>(
  'rooms_of_person',
  sql`${rooms.id} = any(${sql.placeholder('roomIds')})
    and not exists (select from people p where p.user_id = ${sql.placeholder('userId')} and p.deleted)`,
  sql`${rooms.id}`,
)

/** As `findRooms`, but returns no rooms for a deleted person. */
export function findRoomsOfPerson(reader: Reader, userId: string, roomIds: readonly string[]): Promise<ShownRoom[]> {
  return ofPerson(reader, { userId, roomIds })
}

export async function findRoom(reader: Reader, userId: string, roomId: string): Promise<ShownRoom | undefined> {
  const [room] = await findRooms(reader, userId, [roomId])
  return room
}

/**
 * A room with the standing of `userId`. `viewerId`: the user who asks, if somebody else. Throws `not_found` for an
 * unknown room, and for a direct message in which the viewer does not take part.
 */
export async function getRoomWithStanding(
  reader: Reader,
  userId: string,
  roomId: string,
  viewerId = userId,
): Promise<ShownRoom> {
  const ofUser = await findRoom(reader, userId, roomId)
  const ofViewer = viewerId === userId ? ofUser : await findRoom(reader, viewerId, roomId)
  if (!ofUser || !ofViewer || isDmOfOthers(ofViewer)) throw roomNotFound()
  return ofUser
}

/** Throws `not_found` for an unknown room. */
export async function getStandingsInRoom(
  reader: Reader,
  roomId: string,
  userIds: string[],
): Promise<{ room: RoomRow; standings: Map<string, Standing> }> {
  const user = sql<string>`asked.user_id`
  const found = await reader
    .select({ room: rooms, userId: user, member: isMember, banned: isBanActive })
    .from(rooms)
    .crossJoin(sql`unnest(${sql.param(userIds)}::text[]) as asked(user_id)`)
    .leftJoin(roomMembers, and(eq(roomMembers.roomId, rooms.id), eq(roomMembers.userId, user)))
    .leftJoin(roomBans, and(eq(roomBans.roomId, rooms.id), eq(roomBans.userId, user)))
    .where(eq(rooms.id, roomId))
  const [first] = found
  if (!first) throw roomNotFound()
  return {
    room: first.room,
    standings: new Map(found.map(({ userId, member, banned }) => [userId, { member, banned }])),
  }
}

const channelsOfGroup = shownRooms<{ userId: string; groupId: string }>(
  'channels_of_group',
  eq(rooms.groupId, sql.placeholder('groupId')),
  sql`(select position from layout_items where item_id = ${rooms.id}), ${rooms.id}`,
)

export function findChannelsOfGroup(reader: Reader, userId: string, groupId: string): Promise<ShownRoom[]> {
  return channelsOfGroup(reader, { userId, groupId })
}
