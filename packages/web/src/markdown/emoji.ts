/** Reactions that are one click away, by the shortcodes of the contract. */
export const quickReactions = ['thumbsup', 'heart', 'smile', 'tada', 'eyes', 'white_check_mark'] as const

const characters: Record<string, string> = {
  thumbsup: '👍',
  heart: '❤️',
  smile: '😄',
  tada: '🎉',
  eyes: '👀',
  white_check_mark: '✅',
}

/** The emoji of a shortcode; the shortcode itself where it is not known. */
export const emojiOf = (shortcode: string): string => characters[shortcode] ?? `:${shortcode}:`
