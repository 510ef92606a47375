import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { getUserByLogin } from '../../actions/accounts/get-user-by-login.ts'
import type { OperatorContext } from '../../context.ts'
import { listCredentials } from '../../store/credentials.ts'

export function listSessions(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.listSessions> {
  return async ({ login }) => {
    const user = await getUserByLogin(ctx, login)
    const sessions = (await listCredentials(ctx.db, user, ctx.now())).map(({ id, kind, createdAt, expiresAt }) => ({
      id,
      kind,
      createdAt: timestampFromDate(createdAt),
      expiresAt: timestampFromDate(expiresAt),
    }))
    return { userId: user.id, sessions }
  }
}
