import type { Context } from '../context.ts'
import { deleteExpiredEmailCodes } from '../store/email-codes.ts'
import { deleteExpiredFlowTokens } from '../store/flow-tokens.ts'
import { deleteExpiredInvites } from '../store/invites.ts'
import { deleteExpiredProviderLogins } from '../store/provider-logins.ts'

const batchSize = 1_000

export async function deleteExpired(ctx: Pick<Context, 'db' | 'now'>, signal: AbortSignal): Promise<void> {
  const now = ctx.now()
  const expiring = [deleteExpiredFlowTokens, deleteExpiredEmailCodes, deleteExpiredProviderLogins, deleteExpiredInvites]
  for (const deleteSome of expiring)
    while ((await deleteSome(ctx.db, now, batchSize)) === batchSize) signal.throwIfAborted()
}
