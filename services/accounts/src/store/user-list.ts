import { sql, type SQL } from 'drizzle-orm'
import { sqlRows, type Reader } from '@parley/postgres'
import { users } from './schema.ts'

export type UserKey = { createdAt: Date; login: string }
export type UserPage = {
  limit: number
  offset: number
  /** Takes precedence over the offset. */
  after: UserKey | undefined
  includeDeactivated: boolean
}
export type ListedUsers = { keys: (UserKey & { id: string })[]; total: bigint }

const isListed = ({ includeDeactivated }: UserPage): SQL =>
  includeDeactivated
    ? sql`${users.deletedAt} is null`
    : sql`${users.deletedAt} is null and ${users.deactivatedAt} is null`
const columns = sql`id, created_at as "createdAt", login`

/** Finds accounts whose login or display name contains the text, ignoring case; all accounts if the text is empty. */
export async function listUsers(db: Reader, search: string, page: UserPage): Promise<ListedUsers> {
  const text = search.trim()
  return text === '' ? listWithoutSearch(db, page) : listMatches(db, text, page)
}

/** The page is read from an index; only the count scans all users. */
async function listWithoutSearch(db: Reader, page: UserPage): Promise<ListedUsers> {
  const keys = await sqlRows<UserKey & { id: string }>(
    db,
    sql`select ${columns} from ${users} where ${isListed(page)} and ${isAfter(page)} ${inPage(page)}`,
  )
  return { keys, total: BigInt(await db.$count(users, isListed(page))) }
}

/** No index supports searching for parts of words, so one scan reads all users. */
async function listMatches(db: Reader, text: string, page: UserPage): Promise<ListedUsers> {
  const contains = (column: SQL) => sql`strpos(lower(${column}), lower(${text})) > 0`
  const rows = await sqlRows<{ id: string | null; createdAt: Date; login: string; total: bigint }>(
    db,
    sql`with found as materialized (
          select id, created_at, login from ${users}
          where ${isListed(page)} and (${contains(sql`login`)} or ${contains(sql`display_name`)}))
        select page.*, counted.total from (select count(*) as total from found) as counted
        left join (select ${columns} from found where ${isAfter(page)} ${inPage(page)}) as page on true
        order by page."createdAt", page.login`,
  )
  const keys = rows.flatMap(({ id, createdAt, login }) => (id === null ? [] : { id, createdAt, login }))
  return { keys, total: rows[0]?.total ?? 0n }
}

const isAfter = ({ after }: UserPage): SQL =>
  after ? sql`(created_at, login) > (${after.createdAt.toISOString()}::timestamptz, ${after.login})` : sql`true`

const inPage = ({ limit, offset, after }: UserPage): SQL =>
  sql`order by created_at, login limit ${limit} offset ${after ? 0 : offset}`
