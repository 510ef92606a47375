/** What was found for these ids, in first-seen order without repetition; ids without a find are left out. */
export function inOrder<T extends { id: string }>(ids: readonly string[], found: readonly T[]): T[] {
  const byId = new Map(found.map((item) => [item.id, item]))
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? [])
}
