import { type EmojiSet, knownEmoji, loadEmojiSet } from '../markdown/emoji.ts'
import { language } from '../messages/texts.ts'
import { Cell } from './cell.ts'
import { read } from './read.ts'

/** The whole set of emoji; undefined until it is needed. */
export const emojiSet = new Cell<EmojiSet | undefined>(undefined)
let loading: Promise<EmojiSet> | undefined

/** Loads the set, once. */
export function wholeEmojiSet(): Promise<EmojiSet> {
  loading ??= loadEmojiSet(language())
  loading.then(
    (set) => emojiSet.set(set),
    () => (loading = undefined),
  )
  return loading
}

/** Ensures that the set is loaded. */
export const needEmojiSet = (): void => void wholeEmojiSet().catch(() => undefined)

/** The emoji of a shortcode, reactive in Svelte; the shortcode itself until the set is loaded. */
export function emojiOf(shortcode: string): string {
  const known = knownEmoji(shortcode)
  if (known !== undefined) return known
  needEmojiSet()
  return read(emojiSet)?.byName.get(shortcode)?.character ?? `:${shortcode}:`
}
