import { badGroupName } from '../errors.ts'

/** Trims the text. Throws `invalid_argument` if nothing is left. */
export function toGroupName(text: string): string {
  const name = text.trim()
  if (name === '') throw badGroupName()
  return name
}
