/** E-mail addresses in a text of any form: lines, a table, a list of a mail program. Each once, as it was first written. */
export function addressesIn(given: string): string[] {
  const found = given.match(/[^\s,;<>()"'|]+@[^\s,;<>()"'|]+\.[^\s,;<>()"'|]+/g) ?? []
  const byKey = new Map(found.map((address) => [address.toLowerCase(), address] as const).reverse())
  return [...byKey.values()].reverse()
}
