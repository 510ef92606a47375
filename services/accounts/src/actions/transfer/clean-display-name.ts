import { isDisplayName } from '../../domain/display-name.ts'

const maxCharacters = 32
const forbidden = /[^\p{L}\p{M}\p{Nd}\p{S} '’\-._]/gu
const invisible = /(?![\uFE0E\uFE0F])[\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Null if no valid name remains: the login is then shown instead. */
export function cleanDisplayName(text: string): string | null {
  const cleaned = text
    .normalize('NFC')
    .replaceAll(invisible, '')
    .replaceAll(forbidden, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .replace(/^[^\p{L}\p{Nd}]+/u, '')
  const name = [...cleaned].slice(0, maxCharacters).join('').trim()
  return isDisplayName(name) ? name : null
}
