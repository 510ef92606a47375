/** `from`: index at which the text to complete begins, with its sign. */
export type CompletionContext = { kind: 'person' | 'room' | 'emoji'; typed: string; from: number }

const kinds = { '@': 'person', '#': 'room', ':': 'emoji' } as const
/** Suggestions after a colon need this many characters, because a colon is often only punctuation. */
const minEmojiLetters = 2

/** Undefined for ordinary words. */
export function findCompletion(text: string, caret: number): CompletionContext | undefined {
  const [, sign, typed] = /(?:^|[\s([{])([@#:])([\p{L}\p{N}_.+-]*)$/u.exec(text.slice(0, caret)) ?? []
  if (sign === undefined || typed === undefined) return undefined
  const kind = kinds[sign as keyof typeof kinds]
  if (kind === 'emoji' && typed.length < minEmojiLetters) return undefined
  return { kind, typed, from: caret - typed.length - 1 }
}

export function applyCompletion(
  text: string,
  caret: number,
  { from }: CompletionContext,
  replacement: string,
): { text: string; caret: number } {
  const after = text.slice(caret)
  const inserted = after.startsWith(' ') ? replacement : `${replacement} `
  return { text: text.slice(0, from) + inserted + after, caret: from + replacement.length + 1 }
}
