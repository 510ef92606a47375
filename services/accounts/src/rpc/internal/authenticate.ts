import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { findCallers } from '../../actions/credentials/find-callers.ts'

export function authenticate(ctx: Context): MethodImpl<typeof AccountsInternalService.method.authenticate> {
  return async ({ digests }) => ({ entries: await findCallers(ctx, digests) })
}
