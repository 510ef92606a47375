import { reasonMissing } from '../errors.ts'

/** Throws `invalid_argument` if nothing is left. */
export function toBanReason(reason: string): string {
  const trimmed = reason.trim()
  if (trimmed === '') throw reasonMissing()
  return trimmed
}
