import { eq, sql } from 'drizzle-orm'
import { ownerRoleId } from '@parley/permissions'
import { preparedQuery, type Reader } from '@parley/postgres'
import { isHeldByOtherThan } from './roles.ts'
import { users } from './schema.ts'
import { userColumns, type UserWithRoles } from './users.ts'

/** Read in one statement, because every client reads it often. */
export type ViewerRow = UserWithRoles & { hasVerifiedEmail: boolean; isLastOwner: boolean }

const hasVerifiedEmail = sql<boolean>`exists (select from emails where emails.user_id = users.id)`
const isLastOwner = sql<boolean>`exists (
  select from user_roles own where own.user_id = users.id and own.role_id = ${ownerRoleId}
) and not ${isHeldByOtherThan(ownerRoleId, sql`users.id`)}`

const byId = preparedQuery('viewer', (reader) =>
  reader
    .select({ ...userColumns, hasVerifiedEmail, isLastOwner })
    .from(users)
    .where(eq(users.id, sql.placeholder('id'))),
)

export async function findViewer(reader: Reader, id: string): Promise<ViewerRow | undefined> {
  return (await byId(reader, { id }))[0]
}
