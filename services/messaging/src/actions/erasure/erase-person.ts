import { erasers } from '../../store/erase-person.ts'
import type { Pool } from '../../store/statement.ts'

const atOnce = 500

/**
 * Turns everything a deleted person wrote into placeholders and deletes their private data. Facts of rooms end
 * memberships and bans; their rows stay, since their ids order later facts of the room.
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
