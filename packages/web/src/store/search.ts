/** Removes case and accents, to compare typed text. */
const normalize = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()

/** Returns the things whose words contain every typed word. Those that begin with the first typed word come first. */
export function searchIn<T>(things: readonly T[], typed: string, wordsOf: (thing: T) => string): T[] {
  const wanted = normalize(typed).split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return [...things]
  const matches = things
    .map((thing) => ({ thing, words: normalize(wordsOf(thing)) }))
    .filter(({ words }) => wanted.every((one) => words.includes(one)))
  const begins = ({ words }: { words: string }) => words.startsWith(wanted[0] ?? '')
  return [...matches.filter(begins), ...matches.filter((match) => !begins(match))].map(({ thing }) => thing)
}
