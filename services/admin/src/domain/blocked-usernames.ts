import { blockedUsernamesTooLarge, blockedUsernameTooLong } from '../errors.ts'

const mostCharacters = 32
const mostBytes = 10_000

/** Normalises the list: trimmed, lower case, without duplicates and blanks, sorted. */
export function normaliseBlockedUsernames(names: readonly string[]): string[] {
  const kept = [...new Set(names.map((name) => name.trim().toLowerCase()))].filter((name) => name !== '').sort()
  if (kept.some((name) => [...name].length > mostCharacters)) throw blockedUsernameTooLong(mostCharacters)
  if (kept.reduce((bytes, name) => bytes + Buffer.byteLength(name), 0) > mostBytes) {
    throw blockedUsernamesTooLarge(mostBytes)
  }
  return kept
}
