import type { Context } from '../context.ts'
import { reportFailedDeletion } from '../metrics.ts'
import { forgetFailedDeletions, noteFailedDeletion } from '../store/failed-deletions.ts'

/** So many in a row: the storage is away. */
const mostInRow = 5

type Deletion = { remove: (id: string) => Promise<void>; forget: (ids: readonly string[]) => Promise<void> }

/**
 * Deletes bytes and then their rows, so that a row always tells of bytes that are still to go. What cannot be deleted keeps
 * nothing else: it comes again later. Rejects when the storage is away.
 */
export async function deleteEach(
  { db }: Pick<Context, 'db'>,
  ids: readonly string[],
  { remove, forget }: Deletion,
): Promise<void> {
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
