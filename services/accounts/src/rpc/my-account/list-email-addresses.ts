import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { listEmails } from '../../store/emails.ts'
import { toEmailAddresses } from '../../view/email-address.ts'

export function listEmailAddresses(ctx: Context): MethodImpl<typeof MyAccountService.method.listEmailAddresses> {
  return async (_, call) => ({
    addresses: toEmailAddresses(await listEmails(ctx.db, callerOf(call).userId), ctx.now()),
  })
}
