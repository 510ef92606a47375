type Names = { login: string; displayName: string }

/** Sort key of people in lists: their shown name, ignoring case. */
export const nameKey = ({ displayName, login }: Names): string => (displayName || login).toLowerCase()

/**
 * The searchable text of a person: login and display name, separated by a line break. Texts with control characters are
 * not searched for (`isFindable`), so no match spans both names.
 */
export const searchKey = ({ displayName, login }: Names): string => `${login}\n${displayName}`.toLowerCase()

/** The text to look for in search keys; empty matches everybody. */
export const normalizeSearch = (search: string): string => search.trim().toLowerCase()

/** Whether a name could contain the text: names have no control characters. */
export const isFindable = (needle: string): boolean => !/\p{Cc}/u.test(needle)

const gramLength = 3

/**
 * The trigrams of a text. The trigrams of any part of a key are among those of the key, so an index on them finds any
 * part of a name without a database extension. A text of fewer than three characters has none.
 */
export function searchGrams(text: string): string[] {
  const characters = [...text]
  const starts = characters.slice(0, Math.max(characters.length - gramLength + 1, 0))
  return [...new Set(starts.map((_, at) => characters.slice(at, at + gramLength).join('')))]
}
