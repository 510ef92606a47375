import { emailKey } from '../../domain/email.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { userNotFound } from '../../errors.ts'
import { emailRemovedMail } from '../../engines/mail/index.ts'
import type { OperatorContext } from '../../context.ts'
import { findTenOldestAddresses, listEmails, removeEmail, type VerifiedAddress } from '../../store/emails.ts'
import { deleteFlowTokensOf } from '../../store/flow-tokens.ts'
import { changeUser } from '../../store/user-changes.ts'
import type { UserWithRoles } from '../../store/users.ts'
import type { Tx } from '@parley/postgres'
import { mailNotice } from './mail-notice.ts'

type Check = (
  tx: Tx,
  user: UserWithRoles,
  current: { address: VerifiedAddress | undefined; all: VerifiedAddress[] },
) => unknown

/**
 * Invalidates the account's reset links, which may have been mailed to the address. Notifies the removed address and
 * the ten addresses that were verified first. `assertAllowed` gets the locked account and may throw. Throws `not_found`
 * if there is no such account.
 */
export async function removeAddress(
  ctx: OperatorContext,
  userId: string,
  address: string,
  { actorId, assertAllowed = () => undefined }: { actorId: string; assertAllowed?: Check },
): Promise<void> {
  const at = ctx.now()
  let noticeAddresses: string[] = []
  const changed = await changeUser(ctx.db, userId, { actorId, at }, async (tx, user) => {
    const all = await listEmails(tx, userId)
    await assertAllowed(tx, user, { address: all.find(({ key }) => key === emailKey(address)), all })
    const oldest = await findTenOldestAddresses(tx, userId)
    const removed = await removeEmail(tx, userId, address)
    if (removed === undefined) return undefined
    await deleteFlowTokensOf(tx, userId, 'password_reset')
    noticeAddresses = [removed, ...oldest]
    return { announce: () => [auditEvent('user_verified_email_removed')] }
  })
  if (!changed) throw userNotFound()
  ctx.relay.wake(changed.unrelayed)
  const { login } = changed.user
  mailNotice(ctx, noticeAddresses, 'email_removed', (to) => emailRemovedMail(to, login, at))
}
