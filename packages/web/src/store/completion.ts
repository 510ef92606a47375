/** The text before the caret that can be completed: a person, a room or an emoji. */
export type Completing = { kind: 'person' | 'room' | 'emoji'; typed: string; from: number }

const kinds = { '@': 'person', '#': 'room', ':': 'emoji' } as const
/** A colon is often just a colon. */
const fewestOfEmoji = 2

/** Finds the completable text at a caret; undefined for ordinary words. */
export function completingAt(text: string, caret: number): Completing | undefined {
  const [, sign, typed] = /(?:^|[\s([{])([@#:])([\p{L}\p{N}_.+-]*)$/u.exec(text.slice(0, caret)) ?? []
  if (sign === undefined || typed === undefined) return undefined
  const kind = kinds[sign as keyof typeof kinds]
  if (kind === 'emoji' && typed.length < fewestOfEmoji) return undefined
  return { kind, typed, from: caret - typed.length - 1 }
}

/** The text with what was completed in its place, and where the caret goes. */
export function completed(
  text: string,
  caret: number,
  { from }: Completing,
  replacement: string,
): { text: string; caret: number } {
  const after = text.slice(caret)
  const inserted = after.startsWith(' ') ? replacement : `${replacement} `
  return { text: text.slice(0, from) + inserted + after, caret: from + replacement.length + 1 }
}
