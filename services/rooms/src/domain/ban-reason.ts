import { reasonMissing } from '../errors.ts'

/** The reason without blanks around it. Throws `invalid_argument` when nothing is left. */
export function banReason(reason: string): string {
  const words = reason.trim()
  if (words === '') throw reasonMissing()
  return words
}
