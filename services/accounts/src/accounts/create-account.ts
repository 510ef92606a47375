import { ownerRoleId } from '@parley/auth'
import { enqueue } from '@parley/events'
import { newId } from '@parley/ids'
import { isUniqueViolation, type Tx } from '@parley/postgres'
import type { Context } from '../context.ts'
import { rolesChanged, userCreated } from '../domain/announcements.ts'
import { assertEmail, emailKey } from '../domain/email.ts'
import { assertLogin } from '../domain/login.ts'
import { assertPassword } from '../domain/password.ts'
import { emailTaken, invalidLogin, loginTaken } from '../errors.ts'
import { accountCreated } from '../metrics.ts'
import { roleNames } from '../policy/roles-named.ts'
import { claimEmail } from '../store/emails.ts'
import { insertRole } from '../store/roles.ts'
import { insertUser } from '../store/users.ts'

export type NewAccount = { login: string; password: string; email: string; roleIds: string[] }
export type CreatedAccount = { id: string; roleIds: string[] }

/** Makes an account with a password; `within` may veto inside the transaction. */
export async function createAccount(
  ctx: Context,
  account: NewAccount,
  within: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<CreatedAccount> {
  const { login, password, email } = account
  assertLogin(login, roleNames(ctx.policy.current()))
  assertPassword(password)
  if (email !== '') assertEmail(email)
  if ((await ctx.admin.checkLogin({ login })).blocked) throw invalidLogin('it is on the list of blocked usernames')

  const id = newId('user')
  const at = ctx.now()
  const roleIds = [...new Set([...account.roleIds, ...(isOwnerEmail(ctx, email) ? [ownerRoleId] : [])])].sort()
  const passwordHash = await ctx.passwords.hash(password)
  const entries = await ctx.db
    .transaction(async (tx) => {
      await within(tx)
      const version = roleIds.length > 0 ? 2n : 1n
      await insertUser(tx, { id, login, passwordHash, version, rolesVersion: version, createdAt: at })
      for (const roleId of roleIds) await insertRole(tx, id, roleId)
      if (email !== '' && (await claimEmail(tx, id, email, at)) !== id) throw emailTaken()
      const common = { aggregateType: 'user' as const, aggregateId: id, occurredAt: at, actorId: '' }
      return enqueue(tx, [
        { ...common, version: 1n, ...userCreated() },
        ...(roleIds.length > 0 ? [{ ...common, version, ...rolesChanged(roleIds, version) }] : []),
      ])
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error, 'handles_pkey') ? loginTaken(login) : error
    })
  accountCreated(id)
  ctx.relay.wake(entries)
  return { id, roleIds }
}

/** Whether the configuration makes holders of this address owners. */
export function isOwnerEmail({ config }: Context, email: string): boolean {
  return (
    email !== '' && [...config.ownerEmails, ...config.ownerEmail].some((owner) => emailKey(owner) === emailKey(email))
  )
}
