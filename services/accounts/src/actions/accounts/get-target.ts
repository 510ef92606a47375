import type { Context } from '../../context.ts'
import { userNotFound } from '../../errors.ts'
import { findUserByLogin, findUsers, type UserWithRoles } from '../../store/users.ts'

export type Target =
  | { case: 'userId'; value: string }
  | { case: 'login'; value: string }
  | { case: undefined; value?: undefined }

export async function getTarget({ db }: Pick<Context, 'db'>, target: Target): Promise<UserWithRoles> {
  const user =
    target.case === 'login' ? await findUserByLogin(db, target.value) : (await findUsers(db, [target.value ?? '']))[0]
  if (!user || user.deletedAt !== null) throw userNotFound()
  return user
}
