import { eraseSteps } from '../../store/erase-person.ts'
import type { Pool } from '../../store/statement.ts'

const batchSize = 500

/**
 * Returns how many rows were found to erase; 0 means that nothing was left. Memberships and bans are not erased here:
 * facts from rooms end them.
 */
export const erasePerson =
  (pool: Pool) =>
  async (userId: string, signal: AbortSignal): Promise<number> => {
    let found = 0
    for (const eraseBatch of eraseSteps) {
      for (let erased = -1; erased !== 0; found += erased) {
        signal.throwIfAborted()
        erased = await eraseBatch(pool, userId, batchSize)
      }
    }
    return found
  }
