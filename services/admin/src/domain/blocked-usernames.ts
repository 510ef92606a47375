import { blockedUsernamesTooLarge, blockedUsernameTooLong } from '../errors.ts'

const maxCharacters = 32
const maxBytes = 10_000

/**
 * Trimmed, lower case, without duplicates and blanks, sorted. Throws `invalid_argument` if a name or the list is too
 * long.
 */
export function normaliseBlockedUsernames(names: readonly string[]): string[] {
  const kept = [...new Set(names.map((name) => name.trim().toLowerCase()))].filter((name) => name !== '').sort()
  if (kept.some((name) => [...name].length > maxCharacters)) throw blockedUsernameTooLong(maxCharacters)
  if (kept.reduce((bytes, name) => bytes + Buffer.byteLength(name), 0) > maxBytes) {
    throw blockedUsernamesTooLarge(maxBytes)
  }
  return kept
}
