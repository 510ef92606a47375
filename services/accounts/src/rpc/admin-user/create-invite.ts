import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { isOwnerEmail } from '../../actions/accounts/create-account.ts'
import { getPolicyForRoleNames } from '../../actions/accounts/get-policy-for-role-names.ts'
import type { Context } from '../../context.ts'
import { assertEmail } from '../../domain/email.ts'
import { inviteFrom } from '../../domain/invite.ts'
import { emailTaken, noMailer } from '../../errors.ts'
import { makeInvite, revokeInvite } from '../../actions/invites/make-invite.ts'
import { sendMail, inviteMail } from '../../engines/mail/index.ts'
import { getGrantableRoleIds } from '../../policy/grantable-roles.ts'
import { findVerifiedEmail } from '../../store/emails.ts'
import { toInvite } from '../../view/invite.ts'

export function createInvite(ctx: Context): MethodImpl<typeof AdminUserService.method.createInvite> {
  return async ({ label, roleNames, maxUses, ...request }, call) => {
    const caller = callerOf(call)
    const policy = await getPolicyForRoleNames(ctx, roleNames, caller)
    const email = request.email.trim()
    const roleIds = getGrantableRoleIds(policy, caller, { roleNames, asOwner: isOwnerEmail(ctx, email) })
    const expiresAt = request.expiresAt && timestampDate(request.expiresAt)
    const invite = { ...inviteFrom({ label, email, maxUses, expiresAt }, ctx.now()), roleIds }
    if (email === '') {
      const { row, url } = await makeInvite(ctx, caller, invite)
      return { invite: toInvite(row, policy), url }
    }

    assertEmail(email)
    const { mailer } = ctx
    if (!mailer) throw noMailer()
    if (await findVerifiedEmail(ctx.db, email)) throw emailTaken()
    const { row, url } = await makeInvite(ctx, caller, invite)
    await sendMail(ctx, mailer, {
      kind: 'invite',
      compose: inviteMail(email, url, row.expiresAt),
      undo: () => revokeInvite(ctx, caller.userId, row.id),
    })
    return { invite: toInvite(row, policy) }
  }
}
