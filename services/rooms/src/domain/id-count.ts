import { tooManyIds } from '../errors.ts'

/** Throws `invalid_argument` if there are more than `max` ids. */
export function assertIdCount(ids: readonly string[], max = 500): void {
  if (ids.length > max) throw tooManyIds(max)
}
