import { ownerRoleId } from '@parley/permissions'
import { enqueue } from '@parley/events'
import { newId } from '@parley/ids'
import { isUniqueViolation, type Tx } from '@parley/postgres'
import type { OperatorContext } from '../../context.ts'
import { auditEvent, roleAssigned, currentRoles, userCreated } from '../../domain/announcements.ts'
import { assertEmail, emailKey } from '../../domain/email.ts'
import { assertLogin } from '../../domain/login.ts'
import { assertPassword } from '../../domain/password.ts'
import { emailTaken, invalidLogin, loginTaken, userLimitReached } from '../../errors.ts'
import { logAccountCreated } from '../../metrics.ts'
import { roleNames } from '../../policy/role-names.ts'
import { claimEmail } from '../../store/emails.ts'
import { insertRole } from '../../store/roles.ts'
import type { Announcement } from '../../store/user-changes.ts'
import { countUsers, insertUser, lockUserCount } from '../../store/users.ts'

export type NewAccount = {
  login: string
  /** Undefined for an account that signs in through a provider. */
  password?: string
  email: string
  /** Nothing proves the address: an administrator who is not an owner declared it verified. */
  emailOnlyDeclared?: boolean
  /** Must be valid; defaults to the login. */
  displayName?: string
  roleIds: string[]
  /** Whether the user creates the account, rather than an administrator or operator. */
  selfRegistered?: boolean
  /** An administrator; undefined if the user or an operator creates the account. */
  actorId?: string
  clientAddress?: string
}
export type CreatedAccount = { id: string; authGeneration: number; at: Date; roleIds: string[] }

/** Run in the transaction, before and after the insertion. A step aborts the creation by throwing. */
export type Steps = {
  before?: (tx: Tx) => Promise<void>
  after?: (tx: Tx, account: CreatedAccount) => Promise<Announcement[]>
}

export async function createAccount(
  ctx: OperatorContext,
  account: NewAccount,
  steps: Steps = {},
): Promise<CreatedAccount> {
  const { login, password, email, emailOnlyDeclared = false, displayName = null } = account
  assertLogin(login, roleNames(ctx.policy.current()))
  if (password !== undefined) assertPassword(password)
  if (email !== '') assertEmail(email)
  if ((await ctx.admin.checkLogin({ login })).blocked) throw invalidLogin('it is on the list of blocked usernames')

  const id = newId('user')
  const at = ctx.now()
  const becomesOwner = isOwnerEmail(ctx, email)
  const roleIds = [...new Set([...account.roleIds, ...(becomesOwner ? [ownerRoleId] : [])])].sort()
  const caller = account.selfRegistered ? { address: account.clientAddress ?? '' } : { userId: account.actorId ?? '' }
  const passwordHash = password === undefined ? null : await ctx.passwords.hash(password, caller)
  const created = { id, authGeneration: 0, at, roleIds }
  const entries = await ctx.db
    .transaction(async (tx) => {
      await steps.before?.(tx)
      await assertBelowUserLimit(ctx, tx)
      const version = roleIds.length > 0 ? 2n : 1n
      await insertUser(tx, { id, login, displayName, passwordHash, version, rolesVersion: version, createdAt: at })
      for (const roleId of roleIds) await insertRole(tx, id, roleId)
      if (
        email !== '' &&
        (await claimEmail(tx, id, email, { at, selfAdded: false, unproven: emailOnlyDeclared })) === 'taken'
      )
        throw emailTaken()
      const more = (await steps.after?.(tx, created)) ?? []
      const actorId = account.selfRegistered === true ? id : (account.actorId ?? '')
      const common = { aggregateType: 'user' as const, aggregateId: id, occurredAt: at, actorId }
      return enqueue(tx, [
        { ...common, version: 1n, ...userCreated() },
        ...(roleIds.length > 0 ? [{ ...common, version, ...currentRoles(roleIds, version) }] : []),
        ...roleIds.map((roleId) => ({
          ...common,
          version,
          ...roleAssigned(roleId, ctx.policy.current().roles.get(roleId)?.name),
        })),
        ...(email !== '' ? [{ ...common, version, ...auditEvent('user_verified_email_added') }] : []),
        ...more.map((announcement) => ({ ...common, version, ...announcement })),
      ])
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error, 'handles_pkey') ? loginTaken(login) : error
    })
  logAccountCreated(id)
  ctx.relay.wake(entries)
  return created
}

/** Throws `resource_exhausted`. A lock serialises concurrent creations. */
async function assertBelowUserLimit({ config }: OperatorContext, tx: Tx): Promise<void> {
  if (config.maxUsers < 0) return
  await lockUserCount(tx)
  if ((await countUsers(tx)) >= config.maxUsers) throw userLimitReached(config.maxUsers)
}

export function isOwnerEmail({ config }: OperatorContext, email: string): boolean {
  return (
    email !== '' &&
    [...config.ownerEmails, ...config.moreOwnerEmails].some((owner) => emailKey(owner) === emailKey(email))
  )
}
