import { assertMayDelete } from '../check/identity.ts'
import type { Context } from '../../context.ts'
import { reportFailedDeletion } from '../../metrics.ts'
import { forgetFailedDeletions, noteFailedDeletion } from '../../store/failed-deletions.ts'

/** So many in a row: the storage is away. */
const mostInRow = 5

type Deletion = { remove: (id: string) => Promise<void>; forget: (ids: readonly string[]) => Promise<void> }

/**
 * Deletes bytes and then their rows, so that a row always tells of bytes that are still to go. What cannot be deleted keeps
 * nothing else: it comes again later. Rejects when the storage is away, and, having deleted nothing, when it does not belong
 * to the database: what a copy of it, or an older state, wants gone may be needed by the other.
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
  let inRow = 0
  for (const id of ids) {
    try {
      await remove(id)
      deleted.push(id)
      inRow = 0
    } catch (error) {
      failure = error
      reportFailedDeletion(id, error)
      await noteFailedDeletion(db, id)
      if (++inRow === mostInRow) break
    }
  }
  await forget(deleted)
  await forgetFailedDeletions(db, deleted)
  if (inRow === mostInRow) throw failure
}
