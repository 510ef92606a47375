import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { maxOpenUploads } from '../../domain/limits.ts'
import { serverIsFull, tooManyUploads, tooMuchPending, userQuotaReached } from '../../errors.ts'
import { sumOwnerBytes, sumPendingBytes, lockOwner, sumOpenUploads } from '../../store/usage.ts'

type Wanted = { ownerId: string; size: number; createdAt: Date }

/**
 * Locks the owner's usage until the transaction ends. Throws `resource_exhausted` if the file does not fit or too many
 * uploads are open.
 */
export async function assertOwnerQuotas(
  ctx: Context,
  tx: Tx,
  { ownerId, size, createdAt: now }: Wanted,
): Promise<void> {
  const { maxUploadBytes, videoEnabled, maxVideoUploadBytes } = ctx.fileLimits
  const { userBytes } = ctx.quotas
  // At least the size of the largest allowed file, so that this limit admits a file if nothing else is pending.
  const pendingBytes = Math.max(ctx.quotas.pendingBytes, maxUploadBytes, videoEnabled ? maxVideoUploadBytes : 0)
  await lockOwner(tx, ownerId)
  const open = await sumOpenUploads(tx, ownerId, now)
  if (open.count >= maxOpenUploads) throw tooManyUploads(maxOpenUploads)
  if (open.bytes + (await sumPendingBytes(tx, ownerId)) + size > pendingBytes) throw tooMuchPending(pendingBytes)
  if (userBytes !== undefined && open.bytes + (await sumOwnerBytes(tx, ownerId)) + size > userBytes)
    throw userQuotaReached(userBytes)
}

/**
 * Throws `resource_exhausted` if the file does not fit. Call it outside a transaction: the sum needs a connection of
 * its own, and waiting transactions could hold all connections.
 */
export async function assertServerQuota(ctx: Context, size: number): Promise<void> {
  const { serverBytes } = ctx.quotas
  if (serverBytes !== undefined && (await ctx.serverUsage()) + size > serverBytes) throw serverIsFull()
}
