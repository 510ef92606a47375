import { badGroupName } from '../errors.ts'

/** Trims the name. Throws `invalid_argument` if it is empty. */
export function groupName(given: string): string {
  const name = given.trim()
  if (name === '') throw badGroupName()
  return name
}
