import type { MethodImpl } from '@connectrpc/connect'
import type { Caller } from '@parley/credentials'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { mailNotice } from '../../actions/accounts/mail-notice.ts'
import { showUser } from '../../actions/accounts/show-users.ts'
import type { Context } from '../../context.ts'
import { endAllAccess } from '../../actions/credentials/end-all-access.ts'
import { assertFresh } from '../../actions/credentials/freshness.ts'
import { assertCredentialValid } from '../../actions/credentials/assert-credential-valid.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { assertPassword } from '../../domain/password.ts'
import {
  accountGone,
  currentPasswordMissing,
  passwordAlreadySet,
  sessionEnded,
  wrongCurrentPassword,
} from '../../errors.ts'
import { passwordSetMail } from '../../engines/mail/index.ts'
import { reportCredentialsEnded } from '../../metrics.ts'
import { assertCurrentPassword } from '../../engines/passwords/index.ts'
import { findCredentialOf } from '../../store/credentials.ts'
import { findTenOldestAddresses } from '../../store/emails.ts'
import { changeUser } from '../../store/user-changes.ts'
import { getAccount, type UserWithRoles } from '../../store/users.ts'

export function updatePassword(ctx: Context): MethodImpl<typeof MyAccountService.method.updatePassword> {
  const passwordChanged = auditEvent('user_password_hash_changed')
  const notify = (addresses: string[], login: string, details: { at: Date; endedAllAccess: boolean }) =>
    mailNotice(ctx, addresses, 'password_set', (to) => passwordSetMail(to, login, details))

  /** Ends all access, the caller's too, so that anybody who knew the old password is signed out. */
  const changePassword = async (caller: Caller, user: UserWithRoles, password: string, currentPassword: string) => {
    if (currentPassword === '') throw currentPasswordMissing()
    const credential = await findCredentialOf(ctx.db, caller)
    if (!credential) throw sessionEnded()
    await assertCurrentPassword(ctx, { ...caller, ...credential }, user.passwordHash, currentPassword)
    const passwordHash = await ctx.passwords.hash(password, { userId: user.id })
    const at = ctx.now()
    let addresses: string[] = []
    const result = await changeUser(ctx.db, user.id, { actorId: user.id, at }, async (tx, current) => {
      await assertCredentialValid(tx, caller)
      // The password may have been changed while the new one was hashed.
      if (current.passwordHash !== user.passwordHash) throw wrongCurrentPassword()
      const end = await endAllAccess(tx, current, 'password_changed', at)
      addresses = await findTenOldestAddresses(tx, user.id)
      return { set: { ...end.set, passwordHash }, announce: (version) => [passwordChanged, ...end.announce(version)] }
    })
    if (!result) throw accountGone()
    await ctx.relay.waitUntilStored(result.unrelayed)
    reportCredentialsEnded(user.id, 'password_changed')
    notify(addresses, result.user.login, { at, endedAllAccess: true })
  }

  /** No credential ends, because nobody could sign in with a password before. */
  const setFirstPassword = async (caller: Caller, password: string) => {
    const { userId } = caller
    const passwordHash = await ctx.passwords.hash(password, { userId })
    const at = ctx.now()
    let addresses: string[] = []
    const result = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx, current) => {
      await assertCredentialValid(tx, caller)
      if (current.passwordHash !== null) throw passwordAlreadySet()
      addresses = await findTenOldestAddresses(tx, userId)
      return { set: { passwordHash }, announce: () => [passwordChanged] }
    })
    if (!result) throw accountGone()
    ctx.relay.wake(result.unrelayed)
    notify(addresses, result.user.login, { at, endedAllAccess: false })
  }

  return async ({ password, currentPassword }, call) => {
    const caller = callerOf(call)
    assertPassword(password)
    const user = await getAccount(ctx.db, caller.userId)
    if (user.passwordHash === null) {
      await assertFresh(ctx, caller, currentPassword)
      await setFirstPassword(caller, password)
    } else await changePassword(caller, user, password, currentPassword)
    return { user: await showUser(ctx, user) }
  }
}
