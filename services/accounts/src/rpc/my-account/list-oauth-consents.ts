import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { listConsents } from '../../store/oauth-consents.ts'

export function listOAuthConsents(ctx: Context): MethodImpl<typeof MyAccountService.method.listOAuthConsents> {
  return async (_, call) => ({
    consents: (await listConsents(ctx.db, callerOf(call).userId)).map(({ origin, grantedAt }) => ({
      origin,
      grantedAt: timestampFromDate(grantedAt),
    })),
  })
}
