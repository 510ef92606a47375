/** Reactions that are one click away, by the shortcodes of the contract. */
export const quickReactions = ['thumbsup', 'heart', 'smile', 'tada', 'eyes', 'white_check_mark'] as const

/** Those that are known before the whole set is loaded. */
const characters: Record<string, string> = {
  thumbsup: '👍',
  heart: '❤️',
  smile: '😄',
  tada: '🎉',
  eyes: '👀',
  white_check_mark: '✅',
}

/** An emoji, its shortcodes and words to find it by. */
export type Emoji = {
  character: string
  names: readonly string[]
  description: string
  words: string
  category: string
}

/** Every emoji that the server knows, in the order of Unicode. */
export type EmojiSet = { all: readonly Emoji[]; byName: ReadonlyMap<string, Emoji> }

/** Loads the whole set. */
export async function loadEmojiSet(): Promise<EmojiSet> {
  const { gemoji } = await import('gemoji')
  const all = gemoji.map(({ emoji: character, names, description, tags, category }): Emoji => ({
    ...{ character, names, description, category },
    words: [...names, ...tags, description].join(' ').replaceAll('_', ' '),
  }))
  return { all, byName: new Map(all.flatMap((emoji) => emoji.names.map((name) => [name, emoji] as const))) }
}

/** The emoji of a shortcode; undefined where only the whole set may know it. */
export const knownEmoji = (shortcode: string): string | undefined => characters[shortcode]
