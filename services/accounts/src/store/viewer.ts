import { eq, sql } from 'drizzle-orm'
import { ownerRoleId } from '@parley/permissions'
import { preparedQuery, type Reader } from '@parley/postgres'
import { users } from './schema.ts'
import { userColumns, type UserWithRoles } from './users.ts'

/** What an account itself is shown of it: one statement, as every client asks for it again and again. */
export type ViewerRow = UserWithRoles & { hasVerifiedEmail: boolean; isLastOwner: boolean }

const hasVerifiedEmail = sql<boolean>`exists (select from emails where emails.user_id = users.id)`
const isLastOwner = sql<boolean>`exists (
  select from user_roles own where own.user_id = users.id and own.role_id = ${sql.raw(`'${ownerRoleId}'`)}
) and not exists (
  select from user_roles held join users other on other.id = held.user_id
  where held.role_id = ${sql.raw(`'${ownerRoleId}'`)} and other.id <> users.id
    and other.deleted_at is null and other.deactivated_at is null
)`

const byId = preparedQuery('viewer', (reader) =>
  reader
    .select({ ...userColumns, hasVerifiedEmail, isLastOwner })
    .from(users)
    .where(eq(users.id, sql.placeholder('id'))),
)

/** The account of a caller; undefined when there is none. */
export async function findViewer(reader: Reader, id: string): Promise<ViewerRow | undefined> {
  return (await byId(reader, { id }))[0]
}
