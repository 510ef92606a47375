import { badRoleName, roleNameTaken } from '../errors.ts'

const shape = /^[a-z](?:[a-z0-9-]{0,30}[a-z0-9])?$/
const mentionHandles: ReadonlySet<string> = new Set(['all', 'here'])

/** Throws `invalid_argument` for an invalid role name, `already_exists` for `all` and `here`, which are mentions. */
export function assertRoleName(name: string): void {
  if (!shape.test(name)) throw badRoleName()
  if (mentionHandles.has(name)) throw roleNameTaken(name)
}
