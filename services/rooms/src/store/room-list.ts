import { RoomKind } from '@parley/contracts/api'
import { statement, type Connection } from '@parley/postgres'
import type { Standing } from '../policy/standing.ts'
import type { ListedRoom, RoomHead } from './rows.ts'

type Row = RoomHead & Standing & { dmMemberIds: string[] | null }

const head = 'r.id, r.kind, r.name, r.description, r.group_id, r.universal, r.archived'

/**
 * `in (select ...)` is a lookup in a hash table. For a join, PostgreSQL would compare each room with each membership of
 * the user as long as it has no statistics of a table that has grown. `unnest` hides how many rooms the user is in: for
 * more than about 170,000, PostgreSQL would expect too large a hash table, and read all memberships for each room. Only
 * channels have a `name_key`: with statistics, its index makes this independent of the number of direct messages.
 */
const activeChannels = `
  select ${head},
    r.id in (select unnest(array(select room_id from room_members where user_id = $1 and member))) as member,
    r.id in (
      select room_id from room_bans where user_id = $1 and banned and (expires_at is null or expires_at > now())
    ) as banned,
    null::text[] as dm_member_ids, r.name_key, null::timestamptz as created_at
  from rooms r
  where r.name_key is not null and not r.archived`

/** `offset 0` lets PostgreSQL look up each room of the user. Without statistics, a join would read everybody's. */
const dms = `
  select ${head}, true as member, false as banned,
    array(select o.user_id from room_members o where o.room_id = r.id order by o.user_id) as dm_member_ids,
    null::text as name_key, r.created_at
  from room_members m
  cross join lateral (select * from rooms where id = m.room_id offset 0) r
  where m.user_id = $1 and m.member and r.kind = ${RoomKind.DM}`

/** Hand-written, and without the columns that nobody sees, because every client lists all rooms at every start. */
function listOf<More extends unknown[] = []>(name: string, found: string) {
  const { run } = statement<Row>(
    name,
    `select id, kind, name, description, group_id as "groupId", universal, archived, member, banned,
  dm_member_ids as "dmMemberIds"
from (${found}
) r order by name_key, created_at desc, id`,
  )
  return async (on: Connection, userId: string, ...more: More): Promise<ListedRoom[]> =>
    (await run(on, [userId, ...more])).map(toListed)
}

const toListed = ({ member, banned, dmMemberIds, ...room }: Row): ListedRoom => ({
  room,
  standing: { member, banned },
  dmMemberIds: dmMemberIds ?? [],
})

/** By name, without archived ones. */
export const findActiveChannels = listOf('active_channels', activeChannels)

/** As `findActiveChannels`, but only those of the given groups. */
export const findActiveChannelsOfGroups = listOf<[groupIds: readonly string[]]>(
  'active_channels_of_groups',
  `${activeChannels} and r.group_id = any ($2::text[])`,
)

/** Newest first. */
export const findDms = listOf('dms', dms)

/** Channels, then direct messages. */
export const findActiveChannelsAndDms = listOf('active_channels_and_dms', `${activeChannels}\n  union all${dms}`)
