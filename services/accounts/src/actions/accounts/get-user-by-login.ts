import type { OperatorContext } from '../../context.ts'
import { userNotFound } from '../../errors.ts'
import { findUserByLogin, type UserWithRoles } from '../../store/users.ts'

/** The account with this login. Throws `not_found`, with the login in the message, which only operators may see. */
export async function getUserByLogin({ db }: Pick<OperatorContext, 'db'>, login: string): Promise<UserWithRoles> {
  const user = await findUserByLogin(db, login)
  if (!user) throw userNotFound(login)
  return user
}
