import { expect, test } from '@jest/globals'
import { readAhead } from './read-ahead.ts'

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

test.each([0, 1, 3, 4, 9])('results of %d items are in order; at most four items are read at once', async (count) => {
  let running = 0
  let peak = 0
  const items = Array.from({ length: count }, (_, n) => n)
  const read = async (n: number) => {
    peak = Math.max(peak, ++running)
    await new Promise(setImmediate)
    running--
    return n * 2
  }
  expect(await all(readAhead(items, 4, read))).toEqual(items.map((n) => n * 2))
  expect(peak).toBe(Math.min(count, 4))
})

test('a failure is thrown when its item is reached; later failures are ignored', async () => {
  const seen: number[] = []
  const reading = readAhead([1, 2, 3, 4], 3, (n) => (n > 2 ? Promise.reject(new Error(`no ${n}`)) : Promise.resolve(n)))
  const iteration = (async () => {
    for await (const n of reading) seen.push(n)
  })()
  await expect(iteration).rejects.toThrow('no 3')
  expect(seen).toEqual([1, 2])
})
