import { sqlRows, type Reader } from '@parley/postgres'
import { sql } from 'drizzle-orm'

/** Who wants every message of a room: by its level, or by that of the server. In id order. */
export async function listAllMessages(db: Reader, roomId: string, limit: number, after = ''): Promise<string[]> {
  const rows = await sqlRows<{ userId: string }>(
    db,
    sql`
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
    order by user_id limit ${limit}`,
  )
  return rows.map(({ userId }) => userId)
}
