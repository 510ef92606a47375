import { isUniqueViolation, type Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { displayNameFrom } from '../../domain/display-name.ts'
import { assertLogin, loginKey } from '../../domain/login.ts'
import { noted } from '../../domain/announcements.ts'
import { profileUpdated, type Cause } from '../../domain/profile-announcements.ts'
import { assertNoCooldown } from '../../domain/username-cooldown.ts'
import { emptyUpdate, invalidLogin, loginTaken, userUnknown } from '../../errors.ts'
import { roleNames } from '../../policy/roles-named.ts'
import { changeUser, type Announcement } from '../../store/user-changes.ts'
import { findUsers, renameHandle, type UserRow, type UserWithRoles } from '../../store/users.ts'
import { avatarUrl } from './avatar-url.ts'

export type NewNames = { displayName?: string | undefined; login?: string | undefined }

/**
 * Changes display name, login or both. A cooldown applies between changes of one's own login; changes to another
 * account neither wait for it nor start it. `assertMay` may refuse, given the current account.
 */
export async function changeNames(
  ctx: Context,
  userId: string,
  names: NewNames,
  actorId: string,
  assertMay: (user: UserWithRoles) => void = () => undefined,
): Promise<UserWithRoles> {
  if (names.displayName === undefined && names.login === undefined) throw emptyUpdate()
  const displayName = names.displayName === undefined ? undefined : displayNameFrom(names.displayName)
  if (names.login !== undefined) await assertFree(ctx, userId, names.login)

  const cause: Cause = { actorId, at: ctx.now() }
  const byThemselves = actorId === userId
  const changed = await changeUser(ctx.db, userId, cause, async (tx, user) => {
    assertMay(user)
    const set: Partial<UserRow> = {}
    const notes: Announcement[] = []
    if (displayName !== undefined && displayName !== user.displayName) {
      set.displayName = displayName
      notes.push(noted('user_display_name_changed'))
    }
    if (names.login !== undefined && names.login !== user.login) {
      Object.assign(set, await renamed(tx, user, names.login, { byThemselves, at: cause.at }))
      notes.push(noted('user_login_changed'))
      if (set.cooldownFrom) notes.push(noted('user_login_cooldown_started'))
    }
    if (notes.length === 0) return undefined
    const after = { ...user, ...set }
    return { set, announce: () => [profileUpdated(after, avatarUrl(ctx, after.avatarKey), cause), ...notes] }
  }).catch((error: unknown) => {
    throw isUniqueViolation(error, 'handles_pkey') ? loginTaken(names.login ?? '') : error
  })
  if (!changed) throw userUnknown()
  ctx.relay.wake(changed.unannounced)
  return changed.after
}

/** A change of only letter case neither waits for the cooldown nor starts it. */
async function renamed(
  tx: Tx,
  user: UserRow,
  login: string,
  { byThemselves, at }: { byThemselves: boolean; at: Date },
): Promise<Partial<UserRow>> {
  if (loginKey(login) === loginKey(user.login)) return { login }
  if (byThemselves) assertNoCooldown(user, at)
  await renameHandle(tx, user, login)
  return { login, loginChangedAt: at, ...(byThemselves && { cooldownFrom: at }) }
}

/** Throws unless the rules allow the login for the account; its current login is always allowed. */
async function assertFree(ctx: Context, userId: string, login: string): Promise<void> {
  const [user] = await findUsers(ctx.db, [userId])
  if (user?.login === login) return
  assertLogin(login, roleNames(ctx.policy.current()))
  if ((await ctx.admin.checkLogin({ login })).blocked) throw invalidLogin('it is on the list of blocked usernames')
}
