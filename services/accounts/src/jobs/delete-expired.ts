import type { Context } from '../context.ts'
import { deleteExpiredEmailCodes } from '../store/email-codes.ts'
import { deleteExpiredFlowTokens } from '../store/flow-tokens.ts'
import { deleteExpiredProviderLogins } from '../store/provider-logins.ts'

const atOnce = 1_000

/** Deletes the steps of a sign-in that nobody took in time, a few at a time. */
export async function deleteExpired(ctx: Pick<Context, 'db' | 'now'>, signal: AbortSignal): Promise<void> {
  const now = ctx.now()
  for (const deleteSome of [deleteExpiredFlowTokens, deleteExpiredEmailCodes, deleteExpiredProviderLogins])
    while ((await deleteSome(ctx.db, now, atOnce)) === atOnce) signal.throwIfAborted()
}
