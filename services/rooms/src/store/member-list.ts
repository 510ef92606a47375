import { sql, type SQL } from 'drizzle-orm'
import { sqlRows, type Reader } from '@parley/postgres'
import { isFindable, normalizeSearch, searchGrams } from '../domain/people-search.ts'
import { includesEveryone, type Eligibility } from '../policy/eligibility.ts'

/** `eligible`: in a universal room, the people who may join; they are members, too. */
export type MemberFilter = { roomId: string; search: string; eligible: Eligibility | undefined }
export type MemberKey = { nameKey: string; login: string; userId: string }

export async function listMembers(
  reader: Reader,
  filter: MemberFilter,
  page: { limit: number; offset: number; after: MemberKey | undefined },
): Promise<MemberKey[]> {
  return canMatch(filter) ? await sqlRows<MemberKey>(reader, membersPage(filter, page)) : []
}

export async function countMembers(reader: Reader, filter: MemberFilter): Promise<bigint> {
  if (!canMatch(filter)) return 0n
  const [count] = await sqlRows<{ total: bigint }>(reader, membersCount(filter))
  return count?.total ?? 0n
}

const canMatch = ({ search }: MemberFilter): boolean => isFindable(normalizeSearch(search))

export function membersPage(
  filter: MemberFilter,
  { limit, offset, after }: { limit: number; offset: number; after: MemberKey | undefined },
): SQL {
  const next = after && sql`and (p.name_key, p.login, p.user_id) > (${after.nameKey}, ${after.login}, ${after.userId})`
  return sql`
    select p.name_key as "nameKey", p.login, p.user_id as "userId" ${membersOf(filter)} ${next ?? sql``}
    order by p.name_key, p.login, p.user_id limit ${limit} offset ${after ? 0 : offset}`
}

/** Without a search and without `eligible`, counting memberships is enough, because deleted users have none. */
export function membersCount(filter: MemberFilter): SQL {
  const { roomId, search, eligible } = filter
  if (normalizeSearch(search) !== '' || eligible) return sql`select count(*) as total ${membersOf(filter)}`
  return sql`select count(*) as total from room_members as m
    where m.room_id = ${roomId} and m.member and ${notBanned(roomId, sql`m.user_id`)}`
}

function membersOf({ roomId, search, eligible }: MemberFilter): SQL {
  const needle = normalizeSearch(search)
  const rules = sql`not p.deleted and ${notBanned(roomId, sql`p.user_id`)} ${matchesSearch(needle)}`
  const explicit = sql`room_members as m on m.room_id = ${roomId} and m.user_id = p.user_id and m.member`
  if (!eligible) return sql`from people as p join ${explicit} where ${rules}`
  if (includesEveryone(eligible)) return sql`from people as p where ${rules}`
  return sql`from people as p left join ${explicit} where ${rules} and (m.user_id is not null or ${isEligible(eligible)})`
}

export const notBanned = (roomId: string, userId: SQL): SQL => sql`not exists (
  select from room_bans as b where b.room_id = ${roomId} and b.user_id = ${userId}
  and b.banned and (b.expires_at is null or b.expires_at > now()))`

/** The index finds the search keys with all trigrams of the text; these keys are then searched for the text. */
function matchesSearch(needle: string): SQL {
  if (needle === '') return sql``
  const grams = searchGrams(needle)
  const byIndex = grams.length === 0 ? sql`` : sql`and p.search_grams @> ${sql.param(grams)}::text[]`
  return sql`${byIndex} and strpos(p.search_key, ${needle}) > 0`
}

export function isEligible(eligible: Eligibility): SQL {
  const { everyone, ownerRoleId, allowedRoles, deniedRoles, allowedUsers, deniedUsers } = eligible
  const among = (ids: string[]) => sql`p.user_id = any(${sql.param(ids)}::text[])`
  const hasAnyRole = (ids: string[]) => sql`p.role_ids && ${sql.param(ids)}::text[]`
  if (everyone === 'deny') return hasAnyRole([ownerRoleId])
  const allowed = everyone === 'allow' ? sql`true` : sql`(${hasAnyRole(allowedRoles)} or ${among(allowedUsers)})`
  return sql`(${hasAnyRole([ownerRoleId])} or
    (${allowed} and not ${hasAnyRole(deniedRoles)} and not ${among(deniedUsers)}))`
}
