/**
 * Finds the e-mail addresses in a text, such as a table or a recipient list. Of those that differ only in case, returns
 * the first.
 */
export function addressesIn(given: string): string[] {
  const found = given.match(/[^\s,;<>()"'|]+@[^\s,;<>()"'|]+\.[^\s,;<>()"'|]+/g) ?? []
  const byKey = new Map(found.map((address) => [address.toLowerCase(), address] as const).reverse())
  return [...byKey.values()].reverse()
}
