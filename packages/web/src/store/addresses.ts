/**
 * Finds the e-mail addresses in a text, such as a table or a recipient list. Of those that differ only in case, returns
 * the first.
 */
export function addressesIn(given: string): string[] {
  const found = given.match(/[^\s,;<>()"'|]+@[^\s,;<>()"'|]+\.[^\s,;<>()"'|]+/g) ?? []
  const byKey = new Map(found.map((address) => [address.toLowerCase(), address] as const).reverse())
  return [...byKey.values()].reverse()
}

/**
 * Finds what somebody took for e-mail addresses, but is none: malformed words with an `@`, and entries of a list that
 * contain no `@`. The other cells of a table with one address per row, such as names, are left out.
 */
export function notAddressesIn(given: string): string[] {
  const lines = given.split(/[\r\n]+/).filter((line) => line.trim() !== '')
  const found = lines.flatMap((line, at) => {
    const words = line.match(/[^\s,;<>()"'|]*@[^\s,;<>()"'|]*/g) ?? []
    const others = line.split(/[,;]/).filter((part) => part.trim() !== '' && !part.includes('@'))
    const isHeading = at === 0 && words.length === 0 && others.length > 1
    const isRow = lines.length > 1 && (isHeading || words.length === 1)
    return [...words.filter((word) => !addressesIn(word).includes(word)), ...(isRow ? [] : others)]
  })
  return [...new Set(found.map((part) => part.trim()))]
}
