/** What was found for these ids, in first-seen order without repetition; ids without a find are left out. */
export function inOrder<T>(ids: readonly string[], found: readonly T[], idOf: (item: T) => string): T[] {
  const byId = new Map(found.map((item) => [idOf(item), item]))
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? [])
}
