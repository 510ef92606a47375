import { tooManyIds } from '../errors.ts'

/** Throws `invalid_argument` for more ids than one call may contain. */
export function assertIdCount(ids: readonly string[], max = 500): void {
  if (ids.length > max) throw tooManyIds(max)
}
