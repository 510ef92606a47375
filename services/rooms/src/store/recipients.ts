import { sql, type SQL } from 'drizzle-orm'
import { sqlRows, type Reader } from '@parley/postgres'
import { includesEveryone, type Eligibility } from '../policy/eligibility.ts'
import { isEligible, notBanned } from './member-list.ts'

/** `eligible`: who may join a universal room; undefined for other rooms. */
export type RecipientFilter = {
  roomId: string
  eligible: Eligibility | undefined
  all: boolean
  userIds: readonly string[]
  roleIds: readonly string[]
}
type Page = { after: string; limit: number }

export async function findRecipients(reader: Reader, filter: RecipientFilter, page: Page): Promise<string[]> {
  const statement = recipientsPage(filter, page)
  const rows = statement ? await sqlRows<{ userId: string }>(reader, statement) : []
  return rows.map(({ userId }) => userId)
}

/**
 * Undefined if nobody is selected. Separate indexes find users and holders of roles, and the other rules are checked
 * row by row; a join would read everybody for each page.
 */
export function recipientsPage(filter: RecipientFilter, page: Page): SQL | undefined {
  const { eligible, all, userIds, roleIds } = filter
  const listed = eligible ? ofPeople : ofMembers
  const among = (userId: SQL) => (all ? sql`true` : sql`${userId} = any(${sql.param([...userIds])}::text[])`)
  const holders = () => sql`p.role_ids && ${sql.param([...roleIds])}::text[]`
  const pages = [
    ...(all || userIds.length > 0 ? [listed(filter, page, among)] : []),
    ...(!all && roleIds.length > 0 ? [ofPeople(filter, page, holders)] : []),
  ]
  if (pages.length < 2) return pages[0]
  const both = sql.join(
    pages.map((each) => sql`(${each})`),
    sql` union `,
  )
  return sql`${both} order by "userId" limit ${page.limit}`
}

type IsSelected = (userId: SQL) => SQL

/** Includes members who are not in `people` yet. */
function ofMembers(filter: RecipientFilter, page: Page, isSelected: IsSelected): SQL {
  const isActive = sql`coalesce((select not p.deleted from people as p where p.user_id = m.user_id), true)`
  return sql`select m.user_id as "userId" from room_members as m
    where m.room_id = ${filter.roomId} and m.member and ${isActive}
      and ${onPage(filter, page, isSelected, sql`m.user_id`)}`
}

function ofPeople(filter: RecipientFilter, page: Page, isSelected: IsSelected): SQL {
  const { roomId, eligible } = filter
  const explicit = sql`coalesce(
    (select m.member from room_members as m where m.room_id = ${roomId} and m.user_id = p.user_id), false)`
  const isMember = eligible
    ? includesEveryone(eligible)
      ? sql`true`
      : sql`(${isEligible(eligible)} or ${explicit})`
    : explicit
  return sql`select p.user_id as "userId" from people as p
    where not p.deleted and ${isMember} and ${onPage(filter, page, isSelected, sql`p.user_id`)}`
}

const onPage = ({ roomId }: RecipientFilter, { after, limit }: Page, isSelected: IsSelected, userId: SQL): SQL =>
  sql`${userId} > ${after} and ${isSelected(userId)} and ${notBanned(roomId, userId)} order by ${userId} limit ${limit}`
