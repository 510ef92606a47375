import { sql } from 'drizzle-orm'
import { sqlRows, type Reader } from '@parley/postgres'

const maxMembers = 200
const maxOthers = 2_000

/**
 * Up to `maxOthers` people who share a direct message, or a channel of at most `maxMembers`, with a user. Universal and
 * archived channels do not count.
 */
export async function findPresenceAudiences(
  reader: Reader,
  userIds: readonly string[],
): Promise<{ userId: string; others: string[] }[]> {
  return sqlRows(
    reader,
    sql`select asked.user_id as "userId", array(
        select distinct other.user_id
        from room_members as own
        join rooms as r on r.id = own.room_id and not r.universal and not r.archived
        join room_members as other on other.room_id = own.room_id and other.member
        where own.user_id = asked.user_id and own.member and other.user_id <> asked.user_id
          and (select count(*) from (
            select 1 from room_members as m where m.room_id = own.room_id and m.member limit ${maxMembers + 1}
          ) as counted) <= ${maxMembers}
        limit ${maxOthers}) as others
      from unnest(${sql.param([...userIds])}::text[]) as asked(user_id)`,
  )
}
