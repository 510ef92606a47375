import { assertMayDelete } from '../check/identity.ts'
import type { Context } from '../../context.ts'
import { reportFailedDeletion } from '../../metrics.ts'
import { forgetFailedDeletions, recordFailedDeletion } from '../../store/failed-deletions.ts'

/** After this many consecutive failures the storage counts as unavailable. */
const maxFailuresInRow = 5

type Deletion = { remove: (id: string) => Promise<void>; forget: (ids: readonly string[]) => Promise<void> }

/**
 * Deletes bytes, then their rows. A failed deletion is recorded for a later retry, and the others continue. After
 * several consecutive failures, stops and rejects. Rejects without deleting anything when the storage does not belong
 * to the database: a copy of the database may still need the bytes.
 */
export async function deleteEach(
  { db, storage }: Pick<Context, 'db' | 'storage'>,
  ids: readonly string[],
  { remove, forget }: Deletion,
): Promise<void> {
  if (ids.length === 0) return
  await assertMayDelete({ db, storage })
  const deleted: string[] = []
  let failure: unknown
  let failuresInRow = 0
  for (const id of ids) {
    try {
      await remove(id)
      deleted.push(id)
      failuresInRow = 0
    } catch (error) {
      failure = error
      reportFailedDeletion(id, error)
      await recordFailedDeletion(db, id)
      if (++failuresInRow === maxFailuresInRow) break
    }
  }
  await forget(deleted)
  await forgetFailedDeletions(db, deleted)
  if (failuresInRow === maxFailuresInRow) throw failure
}
