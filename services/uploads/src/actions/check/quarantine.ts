import type { Context } from '../../context.ts'
import { quarantineMs } from '../../domain/limits.ts'
import { deleteEach } from '../files/delete-each.ts'
import { forgetOrphans, recordOrphans } from '../../store/orphans.ts'
import { compareIdentity } from './identity.ts'

/**
 * Records the keys. If the storage belongs to this database, deletes the bytes whose key was first recorded at least a
 * week ago, and returns their keys.
 */
export async function quarantine(
  ctx: Pick<Context, 'db' | 'storage' | 'now'>,
  orphans: readonly string[],
  at = ctx.now(),
): Promise<Set<string>> {
  const since = await recordOrphans(ctx.db, orphans, at)
  const due = orphans.filter((key) => at.getTime() - (since.get(key) ?? at).getTime() >= quarantineMs)
  if (due.length === 0 || (await compareIdentity(ctx)) !== 'own') return new Set()
  const deleted = new Set<string>()
  await deleteEach(ctx, due, {
    remove: (key) => ctx.storage.delete(key),
    forget: async (keys) => {
      await forgetOrphans(ctx.db, keys)
      for (const key of keys) deleted.add(key)
    },
  })
  return deleted
}
