import { assertMayDelete } from '../check/identity.ts'
import type { Context } from '../../context.ts'
import { reportLeftForJob } from '../../metrics.ts'
import { storageKeys } from '../../engines/storage/index.ts'

export async function deleteBlobs(ctx: Pick<Context, 'db' | 'storage'>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  try {
    await assertMayDelete(ctx)
  } catch (error) {
    return reportLeftForJob(error)
  }
  for (const id of ids) await ctx.storage.delete(storageKeys.blob(id)).catch(reportLeftForJob)
}
