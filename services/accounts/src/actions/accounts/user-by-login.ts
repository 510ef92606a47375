import type { OperatorContext } from '../../context.ts'
import { userNotFound } from '../../errors.ts'
import { findUserByLogin, type UserWithRoles } from '../../store/users.ts'

/** The account with this login, for the operator. Throws `not_found` if there is none. */
export async function userByLogin({ db }: Pick<OperatorContext, 'db'>, login: string): Promise<UserWithRoles> {
  const user = await findUserByLogin(db, login)
  if (!user) throw userNotFound(login)
  return user
}
