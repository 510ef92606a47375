import type { OperatorContext } from '../../context.ts'
import { endAllAccess } from '../credentials/end-all-access.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { assertPassword } from '../../domain/password.ts'
import { userNotFound } from '../../errors.ts'
import { passwordSetMail } from '../../engines/mail/index.ts'
import { reportCredentialsEnded } from '../../metrics.ts'
import { findTenOldestAddresses } from '../../store/emails.ts'
import { changeUser } from '../../store/user-changes.ts'
import type { UserWithRoles } from '../../store/users.ts'
import type { Tx } from '@parley/postgres'
import { mailNotice } from './mail-notice.ts'

/** Resolves once the event that ends all credentials of the account is on the stream. */
export async function replacePassword(
  ctx: OperatorContext,
  userId: string,
  password: string,
  actorId: string,
  assertAllowed: (tx: Tx, user: UserWithRoles) => unknown = () => undefined,
): Promise<void> {
  assertPassword(password)
  const passwordHash = await ctx.passwords.hash(password, { userId: actorId })
  const at = ctx.now()
  let addresses: string[] = []
  const changed = await changeUser(ctx.db, userId, { actorId, at }, async (tx, user) => {
    await assertAllowed(tx, user)
    const end = await endAllAccess(tx, user, 'password_changed', at)
    addresses = await findTenOldestAddresses(tx, userId)
    return {
      set: { ...end.set, passwordHash },
      announce: (version) => [auditEvent('user_password_hash_changed'), ...end.announce(version)],
    }
  })
  if (!changed) throw userNotFound()
  await ctx.relay.waitUntilStored(changed.unrelayed)
  reportCredentialsEnded(userId, 'password_changed')
  const { login } = changed.user
  mailNotice(ctx, addresses, 'password_set', (to) => passwordSetMail(to, login, { at, endedAllAccess: true }))
}
