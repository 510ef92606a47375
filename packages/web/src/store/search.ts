/** Removes case and accents, for comparing typed text. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()

/** The things whose words contain everything typed; those that begin with it first, otherwise in their order. */
export function foundIn<T>(things: readonly T[], typed: string, wordsOf: (thing: T) => string): T[] {
  const wanted = plain(typed).split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return [...things]
  const matches = things
    .map((thing) => ({ thing, words: plain(wordsOf(thing)) }))
    .filter(({ words }) => wanted.every((one) => words.includes(one)))
  const begins = ({ words }: { words: string }) => words.startsWith(wanted[0] ?? '')
  return [...matches.filter(begins), ...matches.filter((match) => !begins(match))].map(({ thing }) => thing)
}
