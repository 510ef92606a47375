import { createHmac } from 'node:crypto'
import type { Fleet } from '@parley/local'
import { createAccounts } from './crowd.ts'
import { writeRows } from './write-rows.ts'

export const benchSecretKey = 'a secret key of the bench that is long enough'

const digestOf = (token: string): Buffer =>
  createHmac('sha256', benchSecretKey).update(['credential', token].join('\0')).digest()

/** Returns the bearer token of each member. */
export async function createSignedInMembers(fleet: Fleet, roomId: string, count: number): Promise<string[]> {
  const idPrefix = 'Ubenchmember'
  await createAccounts(fleet, { idPrefix, loginPrefix: 'benchmember' }, count)
  const tokens = Array.from({ length: count }, (_, n) => `prl_AT${String(n).padStart(43, 'b')}`)
  await writeRows(fleet.postgresUrl('parley_accounts'), [
    [
      `insert into credentials (id, user_id, kind, digest, auth_generation, created_at, expires_at)
      select 'Sbench' || n, $2::text || n, 'bearer', digest, 0, now(), now() + interval '1 day'
      from unnest($1::bytea[]) with ordinality as given (digest, n)`,
      [tokens.map(digestOf), idPrefix],
    ],
  ])
  await writeRows(fleet.postgresUrl('parley_rooms'), [
    [
      `insert into room_members (room_id, user_id, member, version, since)
      select $2, $3::text || n, true, 1, now() from generate_series(1, $1::integer) n`,
      [count, roomId, idPrefix],
    ],
  ])
  return tokens
}
