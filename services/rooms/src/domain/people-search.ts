type Names = { login: string; displayName: string }

/** Where people stand in lists: what they are called, whatever the case. */
export const nameKey = ({ displayName, login }: Names): string => (displayName || login).toLowerCase()

/** What of somebody is searched. No name holds a control character, so nothing is found across the two. */
export const searchKey = ({ displayName, login }: Names): string => `${login}\n${displayName}`.toLowerCase()

/** What is looked for in search keys; empty finds everybody. */
export const searchedFor = (search: string): string => search.trim().toLowerCase()

/** Whether a name could hold it at all. */
export const isFindable = (needle: string): boolean => !/\p{Cc}/u.test(needle)

const gramLength = 3

/**
 * All pieces of three characters: where a text is found, all its pieces are among those of the key. An index on them finds
 * any part of a name without an extension of the database. A text of less than three characters has none.
 */
export function searchGrams(text: string): string[] {
  const characters = [...text]
  const starts = characters.slice(0, Math.max(characters.length - gramLength + 1, 0))
  return [...new Set(starts.map((_, at) => characters.slice(at, at + gramLength).join('')))]
}
