import { tooManyIds } from '../errors.ts'

/** Throws `invalid_argument` for more ids than a neighbour may ask about at once. */
export function assertFewIds(ids: readonly string[], max = 500): void {
  if (ids.length > max) throw tooManyIds(max)
}
