import { sqlRows, type Reader } from '@parley/postgres'
import { sql, type SQL } from 'drizzle-orm'

export async function listAllMessagesUsers(
  db: Reader,
  roomId: string,
  limit: number,
  after: string,
): Promise<string[]> {
  const rows = await sqlRows<{ userId: string }>(db, selectAllMessagesUsers(sql`${roomId}`, limit, after))
  return rows.map(({ userId }) => userId)
}

export async function filterAllMessagesUsers(
  db: Reader,
  roomId: string,
  userIds: readonly string[],
): Promise<string[]> {
  if (userIds.length === 0) return []
  const rows = await sqlRows<{ userId: string }>(
    db,
    sql`
    select u.id as "userId" from unnest(${sql.param([...userIds])}::text[]) as u (id)
    left join notification_levels of_room on of_room.user_id = u.id and of_room.room_id = ${roomId}
    left join notification_levels of_server on of_server.user_id = u.id and of_server.room_id = ''
    where coalesce(of_room.level, of_server.level) = 'all_messages'
    order by u.id`,
  )
  return rows.map(({ userId }) => userId)
}

export async function listFirstAllMessagesUsers(
  db: Reader,
  roomIds: readonly string[],
  limit: number,
): Promise<ReadonlyMap<string, string[]>> {
  if (roomIds.length === 0) return new Map()
  const rows = await sqlRows<{ roomId: string; userIds: string[] }>(
    db,
    sql`
    select room as "roomId", array_agg("userId" order by "userId") as "userIds"
    from unnest(${sql.param([...roomIds])}::text[]) room
    cross join lateral (${selectAllMessagesUsers(sql`room`, limit, '')}) found
    group by room`,
  )
  return new Map(rows.map(({ roomId, userIds }) => [roomId, userIds]))
}

const selectAllMessagesUsers = (roomId: SQL, limit: number, after: string): SQL => sql`
  select user_id as "userId" from (
    (
      select user_id from notification_levels
      where room_id = ${roomId} and level = 'all_messages' and user_id > ${after}
      order by user_id limit ${limit}
    )
    union all
    (
      select user_id from notification_levels of_server
      where room_id = '' and level = 'all_messages' and user_id > ${after}
        and not exists (
          select from notification_levels of_room
          where of_room.user_id = of_server.user_id and of_room.room_id = ${roomId}
        )
      order by user_id limit ${limit}
    )
  ) found
  order by user_id limit ${limit}`
