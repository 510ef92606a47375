import type { Context } from '../../context.ts'
import { inOrder } from '../../domain/in-order.ts'
import { couldBeLogin, loginKey } from '../../domain/login.ts'
import { findHandles } from '../../store/handles.ts'
import { findPresentUsers } from '../../store/users.ts'

/** Users with these ids, followed by users with these logins; unknown and deleted users are left out. */
export async function findNamed(
  { db }: Pick<Context, 'db'>,
  { userIds, logins }: { userIds: readonly string[]; logins: readonly string[] },
) {
  const ids = [...userIds, ...(await idsOf(db, logins))]
  return inOrder(ids, await findPresentUsers(db, ids))
}

/** Ids of the users with these logins, in the same order. */
async function idsOf(db: Context['db'], logins: readonly string[]): Promise<string[]> {
  const keys = [...new Set(logins.filter(couldBeLogin).map(loginKey))]
  if (keys.length === 0) return []
  const found = (await findHandles(db, keys)).filter(({ kind }) => kind === 'login')
  const byKey = new Map(found.map(({ key, ownerId }) => [key, ownerId]))
  return keys.flatMap((key) => byKey.get(key) ?? [])
}
