export async function* readAhead<Item, Result>(
  items: Iterable<Item>,
  atOnce: number,
  read: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const reading: Promise<Result>[] = []
  for (const item of items) {
    const result = read(item)
    // If the iteration ends early, a failed read must not cause an unhandled rejection.
    result.catch(() => undefined)
    reading.push(result)
    const first = reading.length >= atOnce ? reading.shift() : undefined
    if (first) yield await first
  }
  for (const result of reading) yield await result
}
