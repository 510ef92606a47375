import type { Fleet } from '@parley/local'
import { writeRows } from './write-rows.ts'

/** The logins are `user1`, `user2` and so on. */
export const crowdSize = 100_000

/** Size of the room in which `@all` is measured. */
export const atAllMembers = 50_000

export function addCrowdMembers(fleet: Fleet, roomId: string, count: number): Promise<void> {
  return writeRows(fleet.postgresUrl('parley_rooms'), [
    [
      `insert into room_members (room_id, user_id, member, version, since)
      select $2, 'Ucrowd' || n, true, 1, now() from generate_series(1, $1::integer) n`,
      [count, roomId],
    ],
  ])
}

export async function createCrowd(fleet: Fleet, roomId: string): Promise<void> {
  await createAccounts(fleet, { idPrefix: 'Ucrowd', loginPrefix: 'user' }, crowdSize)
  await addCrowdMembers(fleet, roomId, crowdSize)
}

/** Each id and each login is its prefix and a number, counted from 1. */
export async function createAccounts(
  fleet: Fleet,
  { idPrefix, loginPrefix }: { idPrefix: string; loginPrefix: string },
  count: number,
): Promise<void> {
  const accounts = `(select $2::text || n as id, $3::text || n as login from generate_series(1, $1::integer) n) accounts`
  await writeRows(fleet.postgresUrl('parley_accounts'), [
    [
      `insert into users (id, login, version, roles_version, created_at) select id, login, 1, 1, now() from ${accounts}`,
      [count, idPrefix, loginPrefix],
    ],
  ])
  await writeRows(fleet.postgresUrl('parley_rooms'), [
    [
      `insert into people (
        user_id, login, display_name, name_key, search_key, search_grams, role_ids, deleted, profile_version, roles_version
      )
      select id, login, '', login, login || E'\\n',
        array(select distinct substr(login || E'\\n', at, 3) from generate_series(1, length(login) - 1) at), '{}', false, 1, 1
      from ${accounts}`,
      [count, idPrefix, loginPrefix],
    ],
  ])
}
