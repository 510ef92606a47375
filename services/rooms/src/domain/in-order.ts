export function inOrderOfIds<T>(ids: readonly string[], found: readonly T[], idOf: (item: T) => string): T[] {
  const byId = new Map(found.map((item) => [idOf(item), item]))
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? [])
}
