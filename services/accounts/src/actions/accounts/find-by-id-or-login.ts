import type { Context } from '../../context.ts'
import { inOrder } from '../../domain/in-order.ts'
import { couldBeLogin, loginKey } from '../../domain/login.ts'
import { findHandles } from '../../store/handles.ts'
import { findUndeletedUsers } from '../../store/users.ts'

/** Returns each user once, first those found by id, then those found by login. Leaves out unknown and deleted users. */
export async function findByIdOrLogin(
  { db }: Pick<Context, 'db'>,
  { userIds, logins }: { userIds: readonly string[]; logins: readonly string[] },
) {
  const ids = [...userIds, ...(await idsByLogin(db, logins))]
  return inOrder(ids, await findUndeletedUsers(db, ids))
}

async function idsByLogin(db: Context['db'], logins: readonly string[]): Promise<string[]> {
  const keys = [...new Set(logins.filter(couldBeLogin).map(loginKey))]
  if (keys.length === 0) return []
  const found = (await findHandles(db, keys)).filter(({ kind }) => kind === 'login')
  const byKey = new Map(found.map(({ key, ownerId }) => [key, ownerId]))
  return keys.flatMap((key) => byKey.get(key) ?? [])
}
