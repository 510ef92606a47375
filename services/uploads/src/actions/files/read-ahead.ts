/** What `read` makes of each item, in their order; the next ones are read while one is used. */
export async function* readAhead<Item, Result>(
  items: Iterable<Item>,
  atOnce: number,
  read: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const reading: Promise<Result>[] = []
  for (const item of items) {
    const result = read(item)
    // Whoever never comes to it must not hear of its failure.
    result.catch(() => undefined)
    reading.push(result)
    const first = reading.length >= atOnce ? reading.shift() : undefined
    if (first) yield await first
  }
  for (const result of reading) yield await result
}
