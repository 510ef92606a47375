/** E-mail addresses in arbitrary text: lines, a table, a recipient list. Without duplicates, as first written. */
export function addressesIn(given: string): string[] {
  const found = given.match(/[^\s,;<>()"'|]+@[^\s,;<>()"'|]+\.[^\s,;<>()"'|]+/g) ?? []
  const byKey = new Map(found.map((address) => [address.toLowerCase(), address] as const).reverse())
  return [...byKey.values()].reverse()
}
