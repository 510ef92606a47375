import type { OperatorContext } from '../../context.ts'
import { loginNotFound } from '../../errors.ts'
import { findUserByLogin, type UserWithRoles } from '../../store/users.ts'

export async function getUserByLogin({ db }: Pick<OperatorContext, 'db'>, login: string): Promise<UserWithRoles> {
  const user = await findUserByLogin(db, login)
  if (!user) throw loginNotFound(login)
  return user
}
