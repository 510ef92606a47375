import type { MethodImpl } from '@connectrpc/connect'
import type { Caller } from '@parley/auth'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { showUser } from '../../accounts/show-users.ts'
import type { Context } from '../../context.ts'
import { endEverything } from '../../credentials/end-everything.ts'
import { assertFresh } from '../../credentials/freshness.ts'
import { noted } from '../../domain/announcements.ts'
import { assertPassword } from '../../domain/password.ts'
import {
  accountGone,
  currentPasswordMissing,
  passwordSetAlready,
  sessionEnded,
  wrongCurrentPassword,
} from '../../errors.ts'
import { credentialsEnded } from '../../metrics.ts'
import { assertCurrentPassword } from '../../passwords/current-password.ts'
import { findCredentialOf } from '../../store/credentials.ts'
import { changeUser } from '../../store/user-changes.ts'
import { getAccount, type UserWithRoles } from '../../store/users.ts'

export function updatePassword(ctx: Context): MethodImpl<typeof MyAccountService.method.updatePassword> {
  const changed = noted('user_password_hash_changed')

  /** Ends every credential: whoever knew the old password is out. */
  const change = async (caller: Caller, user: UserWithRoles, password: string, currentPassword: string) => {
    if (currentPassword === '') throw currentPasswordMissing()
    const credential = await findCredentialOf(ctx.db, caller)
    if (!credential) throw sessionEnded()
    await assertCurrentPassword(ctx, { ...caller, ...credential }, user.passwordHash, currentPassword)
    const passwordHash = await ctx.passwords.hash(password)
    const at = ctx.now()
    const done = await changeUser(ctx.db, user.id, { actorId: user.id, at }, async (tx, current) => {
      // The password may have been changed while this one was being hashed.
      if (current.passwordHash !== user.passwordHash) throw wrongCurrentPassword()
      const end = await endEverything(tx, current, 'password_changed', at)
      return { set: { ...end.set, passwordHash }, announce: (version) => [changed, ...end.announce(version)] }
    })
    if (!done) throw accountGone()
    await ctx.relay.stored(done.unannounced)
    credentialsEnded(user.id, 'password_changed')
  }

  /** Nobody signed in by a password before, so nothing ends. */
  const setFirst = async (userId: string, password: string) => {
    const passwordHash = await ctx.passwords.hash(password)
    const done = await changeUser(ctx.db, userId, { actorId: userId, at: ctx.now() }, async (_, current) => {
      if (current.passwordHash !== null) throw passwordSetAlready()
      return { set: { passwordHash }, announce: () => [changed] }
    })
    if (!done) throw accountGone()
    ctx.relay.wake(done.unannounced)
  }

  return async ({ password, currentPassword }, call) => {
    const caller = callerOf(call)
    assertPassword(password)
    const user = await getAccount(ctx.db, caller.userId)
    if (user.passwordHash === null) {
      await assertFresh(ctx, caller)
      await setFirst(user.id, password)
    } else await change(caller, user, password, currentPassword)
    return { user: await showUser(ctx, user) }
  }
}
