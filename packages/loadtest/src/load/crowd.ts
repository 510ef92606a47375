import type { Fleet } from '@parley/local'
import { writeRows } from './write-rows.ts'

/** Number of users. Their logins are `user1`, `user2` and so on. */
export const crowd = 100_000

/** How many of them are members of the room with the @all mention. */
export const everyone = 50_000

/** Makes the first ones of the crowd members of a room. */
export function joinCrowd(fleet: Fleet, roomId: string, count: number): Promise<void> {
  return writeRows(fleet.postgresUrl('parley_rooms'), [
    [
      `insert into room_members (room_id, user_id, member, version, since)
      select $2, 'Ucrowd' || n, true, 1, now() from generate_series(1, $1::integer) n`,
      [count, roomId],
    ],
  ])
}

/** Creates the given number of accounts and makes them members of a room. */
export async function fill(fleet: Fleet, roomId: string): Promise<void> {
  await writePeople(fleet, { ids: 'Ucrowd', logins: 'user' }, crowd)
  await joinCrowd(fleet, roomId, crowd)
}

/** Creates accounts; ids and logins are these prefixes with a number from 1. */
export async function writePeople(
  fleet: Fleet,
  { ids, logins }: { ids: string; logins: string },
  count: number,
): Promise<void> {
  const people = `(select $2::text || n as id, $3::text || n as login from generate_series(1, $1::integer) n) people`
  await writeRows(fleet.postgresUrl('parley_accounts'), [
    [
      `insert into users (id, login, version, roles_version, created_at) select id, login, 1, 1, now() from ${people}`,
      [count, ids, logins],
    ],
  ])
  await writeRows(fleet.postgresUrl('parley_rooms'), [
    [
      `insert into people (
        user_id, login, display_name, name_key, search_key, search_grams, role_ids, deleted, profile_version, roles_version
      )
      select id, login, '', login, login || E'\\n',
        array(select distinct substr(login || E'\\n', at, 3) from generate_series(1, length(login) - 1) at), '{}', false, 1, 1
      from ${people}`,
      [count, ids, logins],
    ],
  ])
}
