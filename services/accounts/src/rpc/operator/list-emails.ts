import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { getUserByLogin } from '../../actions/accounts/get-user-by-login.ts'
import type { OperatorContext } from '../../context.ts'
import { listEmails as emailsOf } from '../../store/emails.ts'

export function listEmails(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.listEmails> {
  return async ({ login }) => {
    const user = await getUserByLogin(ctx, login)
    const emails = (await emailsOf(ctx.db, user.id)).map(({ address, verifiedAt }) => {
      return { address, verifiedAt: timestampFromDate(verifiedAt) }
    })
    return { userId: user.id, emails }
  }
}
