import { isUniqueViolation, type Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { displayNameFrom } from '../../domain/display-name.ts'
import { assertLogin, loginKey } from '../../domain/login.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { profileUpdated, type Cause } from '../../domain/profile-announcements.ts'
import { assertNoCooldown } from '../../domain/username-cooldown.ts'
import { emptyUpdate, invalidLogin, loginTaken, userNotFound } from '../../errors.ts'
import { roleNames } from '../../policy/role-names.ts'
import { changeUser, type Announcement } from '../../store/user-changes.ts'
import { findUsers, renameHandle, type UserRow, type UserWithRoles } from '../../store/users.ts'
import { avatarUrl } from './avatar-url.ts'

export type NewNames = { displayName?: string | undefined; login?: string | undefined }

/**
 * Users must wait for a cooldown after changing their own login; changes by others neither wait for it nor start it.
 * `assertAllowed` gets the locked account and may throw.
 */
export async function changeNames(
  ctx: Context,
  userId: string,
  names: NewNames,
  actorId: string,
  assertAllowed: (user: UserWithRoles) => void = () => undefined,
): Promise<UserWithRoles> {
  if (names.displayName === undefined && names.login === undefined) throw emptyUpdate()
  const displayName = names.displayName === undefined ? undefined : displayNameFrom(names.displayName)
  if (names.login !== undefined) await assertLoginAllowed(ctx, userId, names.login)

  const cause: Cause = { actorId, at: ctx.now() }
  const isOwnLogin = actorId === userId
  const changed = await changeUser(ctx.db, userId, cause, async (tx, user) => {
    assertAllowed(user)
    const set: Partial<UserRow> = {}
    const audit: Announcement[] = []
    if (displayName !== undefined && displayName !== user.displayName) {
      set.displayName = displayName
      audit.push(auditEvent('user_display_name_changed'))
    }
    if (names.login !== undefined && names.login !== user.login) {
      Object.assign(set, await changeLogin(tx, user, names.login, { isOwnLogin, at: cause.at }))
      audit.push(auditEvent('user_login_changed'))
      if (set.cooldownFrom) audit.push(auditEvent('user_login_cooldown_started'))
    }
    if (audit.length === 0) return undefined
    const after = { ...user, ...set }
    return { set, announce: () => [profileUpdated(after, avatarUrl(ctx, after.avatarKey), cause), ...audit] }
  }).catch((error: unknown) => {
    throw isUniqueViolation(error, 'handles_pkey') ? loginTaken(names.login ?? '') : error
  })
  if (!changed) throw userNotFound()
  ctx.relay.wake(changed.unrelayed)
  return changed.after
}

/** A change of letter case alone neither waits for the cooldown nor starts it. */
async function changeLogin(
  tx: Tx,
  user: UserRow,
  login: string,
  { isOwnLogin, at }: { isOwnLogin: boolean; at: Date },
): Promise<Partial<UserRow>> {
  if (loginKey(login) === loginKey(user.login)) return { login }
  if (isOwnLogin) assertNoCooldown(user, at)
  await renameHandle(tx, user, login)
  return { login, loginChangedAt: at, ...(isOwnLogin && { cooldownFrom: at }) }
}

/** The account's current login is always allowed. */
async function assertLoginAllowed(ctx: Context, userId: string, login: string): Promise<void> {
  const [user] = await findUsers(ctx.db, [userId])
  if (user?.login === login) return
  assertLogin(login, roleNames(ctx.policy.current()))
  if ((await ctx.admin.checkLogin({ login })).blocked) throw invalidLogin('it is on the list of blocked usernames')
}
