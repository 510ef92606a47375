import { type EmojiSet, knownEmoji, loadEmojiSet } from '../markdown/emoji.ts'
import { type Language, language } from '../messages/texts.ts'
import { Cell } from './cell.ts'
import { read } from './read.ts'

/** Undefined until loaded. After a change of language, the old set until the new one is loaded. */
export const emojiSet = new Cell<EmojiSet | undefined>(undefined)
let latest: { language: Language; set: Promise<EmojiSet> } | undefined

export function loadWholeEmojiSet(): Promise<EmojiSet> {
  if (latest?.language === language()) return latest.set
  const load = { language: language(), set: loadEmojiSet(language()) }
  latest = load
  load.set.then(
    (set) => latest === load && emojiSet.set(set),
    () => {
      if (latest === load) latest = undefined
    },
  )
  return load.set
}

export const ensureEmojiSet = (): void => void loadWholeEmojiSet().catch(() => undefined)

/** The emoji for a shortcode, reactive in Svelte; `:shortcode:` while the set is not loaded or lacks it. */
export function emojiOf(shortcode: string): string {
  const known = knownEmoji(shortcode)
  if (known !== undefined) return known
  ensureEmojiSet()
  return read(emojiSet)?.byShortcode.get(shortcode)?.character ?? `:${shortcode}:`
}
