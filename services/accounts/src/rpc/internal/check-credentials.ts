import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { extendCredentials } from '../../actions/credentials/extend-credentials.ts'
import { tooManyAtOnce } from '../../errors.ts'
import { findValidById } from '../../store/credentials.ts'

const maxPerCall = 1_000

export function checkCredentials(ctx: Context): MethodImpl<typeof AccountsInternalService.method.checkCredentials> {
  return async ({ credentialIds }) => {
    if (credentialIds.length > maxPerCall) throw tooManyAtOnce('credentials', maxPerCall)
    const now = ctx.now()
    const valid = await findValidById(ctx.db, credentialIds, now)
    await extendCredentials(ctx, valid, now)
    return { credentialIds: valid.map(({ credentialId }) => credentialId) }
  }
}
