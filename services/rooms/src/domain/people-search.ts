type Names = { login: string; displayName: string }

export const nameKey = ({ displayName, login }: Names): string => (displayName || login).toLowerCase()

/** No match spans both names, because texts with control characters are not searched for (`isFindable`). */
export const searchKey = ({ displayName, login }: Names): string => `${login}\n${displayName}`.toLowerCase()

export const normalizeSearch = (search: string): string => search.trim().toLowerCase()

/** Names have no control characters. */
export const isFindable = (needle: string): boolean => !/\p{Cc}/u.test(needle)

const gramLength = 3

/**
 * The trigrams of any part of a key are among those of the key, so an index finds any part of a name without a database
 * extension. A text of fewer than three characters has none.
 */
export function searchGrams(text: string): string[] {
  const characters = [...text]
  const starts = characters.slice(0, Math.max(characters.length - gramLength + 1, 0))
  return [...new Set(starts.map((_, at) => characters.slice(at, at + gramLength).join('')))]
}
