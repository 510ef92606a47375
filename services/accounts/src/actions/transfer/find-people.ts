import type { Context } from '../../context.ts'
import { inOrder } from '../../domain/in-order.ts'
import { addressesOf } from '../../store/emails.ts'
import { findUsers } from '../../store/users.ts'

export async function findPeople({ db }: Pick<Context, 'db'>, userIds: readonly string[]) {
  const users = inOrder(userIds, await findUsers(db, userIds))
  const addresses = await addressesOf(
    db,
    users.map(({ id }) => id),
  )
  return users.map((user) => ({ user, emails: addresses.get(user.id) ?? [] }))
}
