import { nameToEmoji } from 'gemoji'
import { emojiUnknown } from '../errors.ts'

/** Throws unless the text is a shortcode of the emoji set, without colons. */
export function assertEmoji(shortcode: string): void {
  if (!Object.hasOwn(nameToEmoji, shortcode)) throw emojiUnknown()
}
