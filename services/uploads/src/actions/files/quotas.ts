import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { maxOpenUploads } from '../../domain/limits.ts'
import { serverIsFull, tooManyUploads, tooMuchPending, userQuotaReached } from '../../errors.ts'
import { sumOwnerBytes, sumPendingBytes, lockOwner, sumOpenUploads } from '../../store/usage.ts'

type Wanted = { ownerId: string; size: number; createdAt: Date }

/** Checks that there is room for a file, and locks the owner's usage. Throws `resource_exhausted`. */
export async function assertQuotas(ctx: Context, tx: Tx, { ownerId, size, createdAt: now }: Wanted): Promise<void> {
  const { maxUploadBytes, videoEnabled, maxVideoUploadBytes } = ctx.fileLimits
  const { userBytes } = ctx.quotas
  // At least the size of the largest allowed file, so that one file always fits.
  const pendingBytes = Math.max(ctx.quotas.pendingBytes, maxUploadBytes, videoEnabled ? maxVideoUploadBytes : 0)
  await lockOwner(tx, ownerId)
  const open = await sumOpenUploads(tx, ownerId, now)
  if (open.count >= maxOpenUploads) throw tooManyUploads(maxOpenUploads)
  if (open.bytes + (await sumPendingBytes(tx, ownerId)) + size > pendingBytes) throw tooMuchPending(pendingBytes)
  if (userBytes !== undefined && open.bytes + (await sumOwnerBytes(tx, ownerId)) + size > userBytes)
    throw userQuotaReached(userBytes)
}

/**
 * Checks the limit of the whole server in the same way. Call it outside a transaction: the sum uses a separate
 * connection, and open transactions could hold all of them.
 */
export async function assertServerQuota(ctx: Context, size: number): Promise<void> {
  const { serverBytes } = ctx.quotas
  if (serverBytes !== undefined && (await ctx.serverUsage()) + size > serverBytes) throw serverIsFull()
}
