import { tooManyIds } from '../errors.ts'

const most = 500

/** Throws `invalid_argument` for more ids than a neighbour may ask about at once. */
export function assertFewIds(ids: readonly string[]): void {
  if (ids.length > most) throw tooManyIds(most)
}
