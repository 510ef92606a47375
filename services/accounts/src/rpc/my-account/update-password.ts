import type { MethodImpl } from '@connectrpc/connect'
import type { Caller } from '@parley/credentials'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { mailOwner } from '../../actions/accounts/mail-owner.ts'
import { showUser } from '../../actions/accounts/show-users.ts'
import type { Context } from '../../context.ts'
import { endEverything } from '../../actions/credentials/end-everything.ts'
import { assertFresh } from '../../actions/credentials/freshness.ts'
import { assertStillHolds } from '../../actions/credentials/still-holds.ts'
import { noted } from '../../domain/announcements.ts'
import { assertPassword } from '../../domain/password.ts'
import {
  accountGone,
  currentPasswordMissing,
  passwordSetAlready,
  sessionEnded,
  wrongCurrentPassword,
} from '../../errors.ts'
import { passwordSetMail } from '../../engines/mail/index.ts'
import { credentialsEnded } from '../../metrics.ts'
import { assertCurrentPassword } from '../../engines/passwords/index.ts'
import { findCredentialOf } from '../../store/credentials.ts'
import { firstAddressesOf } from '../../store/emails.ts'
import { changeUser } from '../../store/user-changes.ts'
import { getAccount, type UserWithRoles } from '../../store/users.ts'

export function updatePassword(ctx: Context): MethodImpl<typeof MyAccountService.method.updatePassword> {
  const changed = noted('user_password_hash_changed')
  const notify = (addresses: string[], login: string, how: { at: Date; cleared: boolean }) =>
    mailOwner(ctx, addresses, 'password_set', (to) => passwordSetMail(to, login, how))

  /** Ends every credential, so that anyone who knew the old password is signed out. */
  const change = async (caller: Caller, user: UserWithRoles, password: string, currentPassword: string) => {
    if (currentPassword === '') throw currentPasswordMissing()
    const credential = await findCredentialOf(ctx.db, caller)
    if (!credential) throw sessionEnded()
    await assertCurrentPassword(ctx, { ...caller, ...credential }, user.passwordHash, currentPassword)
    const passwordHash = await ctx.passwords.hash(password, { userId: user.id })
    const at = ctx.now()
    let addresses: string[] = []
    const done = await changeUser(ctx.db, user.id, { actorId: user.id, at }, async (tx, current) => {
      await assertStillHolds(tx, caller)
      // The password may have been changed while this one was being hashed.
      if (current.passwordHash !== user.passwordHash) throw wrongCurrentPassword()
      const end = await endEverything(tx, current, 'password_changed', at)
      addresses = await firstAddressesOf(tx, user.id)
      return { set: { ...end.set, passwordHash }, announce: (version) => [changed, ...end.announce(version)] }
    })
    if (!done) throw accountGone()
    await ctx.relay.stored(done.unannounced)
    credentialsEnded(user.id, 'password_changed')
    notify(addresses, done.user.login, { at, cleared: true })
  }

  /** There was no password before, so no credential ends. */
  const setFirst = async (caller: Caller, password: string) => {
    const { userId } = caller
    const passwordHash = await ctx.passwords.hash(password, { userId })
    const at = ctx.now()
    let addresses: string[] = []
    const done = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx, current) => {
      await assertStillHolds(tx, caller)
      if (current.passwordHash !== null) throw passwordSetAlready()
      addresses = await firstAddressesOf(tx, userId)
      return { set: { passwordHash }, announce: () => [changed] }
    })
    if (!done) throw accountGone()
    ctx.relay.wake(done.unannounced)
    notify(addresses, done.user.login, { at, cleared: false })
  }

  return async ({ password, currentPassword }, call) => {
    const caller = callerOf(call)
    assertPassword(password)
    const user = await getAccount(ctx.db, caller.userId)
    if (user.passwordHash === null) {
      await assertFresh(ctx, caller, currentPassword)
      await setFirst(caller, password)
    } else await change(caller, user, password, currentPassword)
    return { user: await showUser(ctx, user) }
  }
}
