import { invalidLogin } from '../errors.ts'

const shape = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const minLength = 2
const maxLength = 32
/** Handles that mention people of a room without naming them or a role. */
export const mentionHandles: ReadonlySet<string> = new Set(['all', 'here'])

export const loginKey = (login: string): string => login.toLowerCase()

export const couldBeLogin = (text: string): boolean => text.length <= maxLength && shape.test(text)

/**
 * Throws `invalid_argument` if the login contains "..". Called only for registrations, accepted invites and accounts
 * that an administrator creates in a client.
 */
export function assertNoDoubleDots(login: string): void {
  if (login.includes('..')) throw invalidLogin('it must not contain ".."')
}

export function assertLogin(login: string, roleNames: ReadonlySet<string>): void {
  if (login.length < minLength || login.length > maxLength)
    throw invalidLogin(`it must have ${minLength} to ${maxLength} characters`)
  if (!shape.test(login))
    throw invalidLogin('it may contain ASCII letters, digits, ".", "_" and "-", and must start with a letter or digit')
  if (login.endsWith('.')) throw invalidLogin('it must not end with "."')
  const key = loginKey(login)
  if (mentionHandles.has(key)) throw invalidLogin(`"${key}" is reserved for mentions`)
  if (roleNames.has(key)) throw invalidLogin(`"${key}" is the name of a role`)
}
