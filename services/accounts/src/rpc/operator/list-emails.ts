import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { userNotFound } from '../../errors.ts'
import type { OperatorContext } from '../../context.ts'
import { listEmails as emailsOf } from '../../store/emails.ts'
import { findUserByLogin } from '../../store/users.ts'

export function listEmails(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.listEmails> {
  return async ({ login }) => {
    const user = await findUserByLogin(ctx.db, login)
    if (!user) throw userNotFound(login)
    const emails = (await emailsOf(ctx.db, user.id)).map(({ address, verifiedAt }) => {
      return { address, verifiedAt: timestampFromDate(verifiedAt) }
    })
    return { userId: user.id, emails }
  }
}
