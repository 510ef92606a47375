import type { OperatorContext } from '../../context.ts'
import { endEverything } from '../credentials/end-everything.ts'
import { noted } from '../../domain/announcements.ts'
import { assertPassword } from '../../domain/password.ts'
import { userUnknown } from '../../errors.ts'
import { passwordSetMail } from '../../engines/mail/index.ts'
import { credentialsEnded } from '../../metrics.ts'
import { firstAddressesOf } from '../../store/emails.ts'
import { changeUser } from '../../store/user-changes.ts'
import type { UserWithRoles } from '../../store/users.ts'
import type { Tx } from '@parley/postgres'
import { mailOwner } from './mail-owner.ts'

/** Sets the password of somebody else, and waits until every credential of the account has ended everywhere. */
export async function replacePassword(
  ctx: OperatorContext,
  userId: string,
  password: string,
  actorId: string,
  assertMay: (tx: Tx, user: UserWithRoles) => unknown = () => undefined,
): Promise<void> {
  assertPassword(password)
  const passwordHash = await ctx.passwords.hash(password, { userId: actorId })
  const at = ctx.now()
  let addresses: string[] = []
  const changed = await changeUser(ctx.db, userId, { actorId, at }, async (tx, user) => {
    await assertMay(tx, user)
    const end = await endEverything(tx, user, 'password_changed', at)
    addresses = await firstAddressesOf(tx, userId)
    return {
      set: { ...end.set, passwordHash },
      announce: (version) => [noted('user_password_hash_changed'), ...end.announce(version)],
    }
  })
  if (!changed) throw userUnknown()
  await ctx.relay.stored(changed.unannounced)
  credentialsEnded(userId, 'password_changed')
  const { login } = changed.user
  mailOwner(ctx, addresses, 'password_set', (to) => passwordSetMail(to, login, { at, cleared: true }))
}
