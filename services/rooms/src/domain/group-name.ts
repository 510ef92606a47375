import { badGroupName } from '../errors.ts'

/** A name without blanks around it. Throws `invalid_argument` when nothing is left. */
export function groupName(given: string): string {
  const name = given.trim()
  if (name === '') throw badGroupName()
  return name
}
