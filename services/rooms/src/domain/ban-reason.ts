import { reasonMissing } from '../errors.ts'

/** Trims the reason. Throws `invalid_argument` if it is empty. */
export function banReason(reason: string): string {
  const trimmed = reason.trim()
  if (trimmed === '') throw reasonMissing()
  return trimmed
}
