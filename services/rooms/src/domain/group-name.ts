import { badGroupName } from '../errors.ts'

/** Throws `invalid_argument` if nothing is left. */
export function toGroupName(given: string): string {
  const name = given.trim()
  if (name === '') throw badGroupName()
  return name
}
