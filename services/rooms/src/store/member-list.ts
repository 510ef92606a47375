import { sql, type SQL } from 'drizzle-orm'
import { sqlRows, type Reader } from '@parley/postgres'
import type { Eligibility } from '../policy/eligibility.ts'
import { people, roomBans, roomMembers } from './schema.ts'

/** Whom to list: explicit members, or with `eligible` everybody who belongs to a universal room. */
export type MemberFilter = { roomId: string; search: string; eligible: Eligibility | undefined }
export type MemberKey = { nameKey: string; login: string; userId: string }
export type MemberPage = { members: MemberKey[]; total: bigint }

/** Members by name: those after the key of the page before, or after so many. */
export async function listMembers(
  reader: Reader,
  filter: MemberFilter,
  page: { limit: number; offset: number; after: MemberKey | undefined },
): Promise<MemberPage> {
  const { after, limit, offset } = page
  const members = membersOf(filter)
  const key = after && sql`where (name_key, login, user_id) > (${after.nameKey}, ${after.login}, ${after.userId})`
  const rows = await sqlRows<MemberKey>(
    reader,
    sql`select name_key as "nameKey", login, user_id as "userId" from (${members}) as m ${key ?? sql``}
        order by name_key, login, user_id limit ${limit} offset ${after ? 0 : offset}`,
  )
  const [count] = await sqlRows<{ total: bigint }>(reader, sql`select count(*) as total from (${members}) as m`)
  return { members: rows, total: count?.total ?? 0n }
}

function membersOf({ roomId, search, eligible }: MemberFilter): SQL {
  const wanted = search.trim().toLowerCase()
  const found = sql`(strpos(lower(${people.login}), ${wanted}) > 0 or strpos(lower(${people.displayName}), ${wanted}) > 0)`
  return sql`
    select ${people.nameKey}, ${people.login}, ${people.userId} from ${people}
    left join ${roomMembers} on ${roomMembers.roomId} = ${roomId} and ${roomMembers.userId} = ${people.userId}
    where not ${people.deleted} and ${wanted === '' ? sql`true` : found}
      and (coalesce(${roomMembers.member}, false) or ${eligible ? sql`(${belongs(eligible)})` : sql`false`})
      and not exists (
        select from ${roomBans} where ${roomBans.roomId} = ${roomId} and ${roomBans.userId} = ${people.userId}
        and ${roomBans.banned} and (${roomBans.expiresAt} is null or ${roomBans.expiresAt} > now()))`
}

function belongs(eligible: Eligibility): SQL {
  const { everyone, ownerRoleId, allowedRoles, deniedRoles, allowedUsers, deniedUsers } = eligible
  const among = (ids: string[]) => sql`${people.userId} = any(${sql.param(ids)}::text[])`
  const holds = (ids: string[]) => sql`${people.roleIds} && ${sql.param(ids)}::text[]`
  if (everyone === 'deny') return holds([ownerRoleId])
  const allowed = everyone === 'allow' ? sql`true` : sql`(${holds(allowedRoles)} or ${among(allowedUsers)})`
  return sql`${holds([ownerRoleId])} or
    (${allowed} and not ${holds(deniedRoles)} and not ${among(deniedUsers)})`
}
