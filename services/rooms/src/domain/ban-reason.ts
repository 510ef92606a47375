import { reasonMissing } from '../errors.ts'

/** Trims the text. Throws `invalid_argument` if nothing is left. */
export function toBanReason(reason: string): string {
  const trimmed = reason.trim()
  if (trimmed === '') throw reasonMissing()
  return trimmed
}
