/** Shortcodes of the reactions that can be added without opening the emoji picker. */
export const quickReactions = ['thumbsup', 'heart', 'smile', 'tada', 'eyes', 'white_check_mark'] as const

/** Emoji known before the whole set is loaded. */
const characters: Record<string, string> = {
  thumbsup: '👍',
  heart: '❤️',
  smile: '😄',
  tada: '🎉',
  eyes: '👀',
  white_check_mark: '✅',
}

/** `words`: search keywords in the language of the set and in English. */
export type Emoji = {
  character: string
  shortcodes: readonly string[]
  name: string
  words: string
}

/** Every emoji that the server knows, in Unicode order. */
export type EmojiSet = { all: readonly Emoji[]; byShortcode: ReadonlyMap<string, Emoji> }

type Translation = { unicode: string; label: string; tags?: readonly string[] }

const translations: Record<string, () => Promise<{ default: readonly Translation[] }>> = {
  de: () => import('emojibase-data/de/compact.json', { with: { type: 'json' } }),
}

/** Removes the variation selector for the coloured form, which some lists omit. */
const removeVariation = (character: string): string => character.replaceAll('\uFE0F', '')

/** Loads the whole set, with names in the given language, falling back to English. */
export async function loadEmojiSet(language: string): Promise<EmojiSet> {
  const { gemoji } = await import('gemoji')
  const translated = await translations[language]?.()
  const translationOf = new Map(translated?.default.map((one) => [removeVariation(one.unicode), one]))
  const all = gemoji.map(({ emoji: character, names, description, tags }): Emoji => {
    const { label, tags: keywords = [] } = translationOf.get(removeVariation(character)) ?? { label: description }
    const words = [label, ...keywords, ...names, ...tags, description].join(' ').replaceAll('_', ' ')
    return { character, shortcodes: names, name: label, words }
  })
  return { all, byShortcode: new Map(all.flatMap((emoji) => emoji.shortcodes.map((code) => [code, emoji] as const))) }
}

export const knownEmoji = (shortcode: string): string | undefined => characters[shortcode]
