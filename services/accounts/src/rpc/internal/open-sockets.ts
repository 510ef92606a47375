import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { findCallers } from '../../actions/credentials/find-callers.ts'

export function openSockets(ctx: Context): MethodImpl<typeof AccountsInternalService.method.openSockets> {
  return async ({ digests }) => ({ entries: await findCallers(ctx, digests) })
}
