import { erasers } from '../../store/erase-person.ts'
import type { Pool } from '../../store/statement.ts'

const atOnce = 500

/**
 * Makes placeholders of everything a deleted person wrote and deletes what was theirs alone. Memberships and bans end by
 * facts of rooms; their rows stay as ids that order what else is heard of the room.
 */
export const erasePerson =
  (pool: Pool) =>
  async (userId: string, signal: AbortSignal): Promise<number> => {
    let found = 0
    for (const eraseSome of erasers) {
      for (let erased = -1; erased !== 0; found += erased) {
        signal.throwIfAborted()
        erased = await eraseSome(pool, userId, atOnce)
      }
    }
    return found
  }
