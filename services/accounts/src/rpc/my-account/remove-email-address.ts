import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { removeAddress } from '../../actions/accounts/remove-address.ts'
import type { Context } from '../../context.ts'
import { assertFresh } from '../../actions/credentials/freshness.ts'
import { assertCredentialValid } from '../../actions/credentials/assert-credential-valid.ts'
import { isRemovable } from '../../domain/removable.ts'
import { emailNotFound, emailNotRemovable } from '../../errors.ts'
import { listEmails } from '../../store/emails.ts'
import { toEmailAddresses } from '../../view/email-address.ts'

export function removeEmailAddress(ctx: Context): MethodImpl<typeof MyAccountService.method.removeEmailAddress> {
  return async ({ address, currentPassword }, call) => {
    const caller = callerOf(call)
    const { userId } = caller
    await assertFresh(ctx, caller, currentPassword)
    await removeAddress(ctx, userId, address, {
      actorId: userId,
      async assertAllowed(tx, _, current) {
        await assertCredentialValid(tx, caller)
        if (!current.address) throw emailNotFound()
        if (!isRemovable(current.address, current.all, ctx.now())) throw emailNotRemovable()
      },
    })
    return { addresses: toEmailAddresses(await listEmails(ctx.db, userId), ctx.now()) }
  }
}
