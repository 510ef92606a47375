import { invalidDisplayName } from '../errors.ts'

const maxLength = 32
const first = /^[\p{L}\p{Nd}]/u
const allowed = /^[\p{L}\p{M}\p{Nd}\p{S} '’\-._]*$/u
/** Zero-width characters, joiners, fillers and the braille blank, but not the variation selectors of emojis. */
const invisible = /(?![\uFE0E\uFE0F])[\p{Default_Ignorable_Code_Point}\u2800]/u

/** Null for an empty name: the login is then shown instead. Throws `invalid_argument`. */
export function displayNameFrom(text: string): string | null {
  const name = text.trim()
  const broken = brokenRule(name)
  if (broken !== undefined) throw invalidDisplayName(broken)
  return name === '' ? null : name
}

/** False for an empty name or spaces around it. */
export const isDisplayName = (text: string): boolean =>
  text !== '' && text === text.trim() && brokenRule(text) === undefined

function brokenRule(name: string): string | undefined {
  if (name === '') return undefined
  if ([...name].length > maxLength) return `it may have at most ${maxLength} characters`
  if (!first.test(name)) return 'it must start with a letter or digit'
  if (!allowed.test(name) || invisible.test(name))
    return 'it may contain letters, digits, symbols, spaces, apostrophes, "-", "." and "_", and no invisible characters'
  if (name.includes('  ')) return 'it must not contain two spaces in a row'
  return undefined
}
