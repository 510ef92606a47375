import { expect, test } from '@jest/globals'
import { KeyedBatcher, type KeyedBatcherOptions } from './keyed-batcher.ts'

type Options = Partial<KeyedBatcherOptions<number, string>>

/** A batcher of numbers whose batches end when the test resolves them. */
function slowBatcher(options: Options = {}) {
  const batches: { key: string; items: readonly number[]; end: (error?: Error) => Promise<void> }[] = []
  const run = (key: string, items: readonly number[]) =>
    new Promise<string[]>((resolve, reject) => {
      const end = (error?: Error) => {
        if (error) reject(error)
        else resolve(items.map(String))
        return new Promise<void>(setImmediate)
      }
      batches.push({ key, items, end })
    })
  return { batches, batcher: new KeyedBatcher<number, string>({ run, maxWeight: 64, ...options }) }
}

const outcomes = (all: Promise<string>[]) =>
  Promise.all(
    all.map((one) =>
      one.catch((error: unknown) => {
        if (error instanceof Error) return error.message
        throw error
      }),
    ),
  )

test('items that arrive during a batch enter the next one in order, up to a limit; keys do not wait for each other', async () => {
  const { batches, batcher } = slowBatcher()
  const all = Array.from({ length: 100 }, (_, n) => batcher.submit('R1', n))
  const elsewhere = batcher.submit('R2', 7)
  expect(batches.map(({ key, items }) => [key, items])).toEqual([
    ['R1', [0]],
    ['R2', [7]],
  ])
  for (const index of [0, 1, 2, 3]) await batches[index]?.end()
  expect(batches.slice(2).map(({ items }) => items.length)).toEqual([64, 35])
  expect(await Promise.all(all)).toEqual(Array.from({ length: 100 }, (_, n) => String(n)))
  expect(await elsewhere).toBe('7')
  expect(batcher.size).toBe(0)
  void batcher.submit('R1', 8)
  expect(batches.at(-1)?.items).toEqual([8])
})

test('heavier items fill a batch sooner', async () => {
  const { batches, batcher } = slowBatcher({ maxWeight: 8, weight: (item) => (item < 10 ? 4 : 1) })
  void [0, 1, 11, 2, 12, 13, 14, 15, 3].map((item) => batcher.submit('R1', item))
  await batches[0]?.end()
  await batches[1]?.end()
  await batches[2]?.end()
  expect(batches.map(({ items }) => items)).toEqual([[0], [1, 11, 2], [12, 13, 14, 15, 3]])
})

test('urgent items go first, and are accepted regardless of the queue', async () => {
  const { batches, batcher } = slowBatcher({ maxWeight: 2, isUrgent: (item) => item > 9, maxWaiting: 2 })
  const busy = [0, 1, 2, 10, 3, 11].map((item) => batcher.submit('R1', item))[4]
  await expect(busy).rejects.toThrow('too many items are waiting')
  for (const index of [0, 1, 2]) await batches[index]?.end()
  expect(batches.map(({ items }) => items)).toEqual([[0], [10, 11], [1, 2]])
})

test('an item refused when its turn comes is not run', async () => {
  let given = false
  const { batches, batcher } = slowBatcher({
    refusal: (item) => (given && item === 1 ? new Error('given up') : undefined),
  })
  const all = outcomes([0, 1, 2].map((item) => batcher.submit('R1', item)))
  given = true
  for (const index of [0, 1]) await batches[index]?.end()
  expect(await all).toEqual(['0', 'given up', '2'])
  expect(batches.map(({ items }) => items)).toEqual([[0], [2]])
})

test('a failed batch does not affect the next one', async () => {
  const { batches, batcher } = slowBatcher({ maxWeight: 1, retryIndividually: () => true })
  const all = outcomes([1, 2].map((item) => batcher.submit('R1', item)))
  await batches[0]?.end(new Error('unavailable'))
  await batches[1]?.end()
  expect(await all).toEqual(['unavailable', '2'])
})

test('the items of a failed batch are retried one by one, unless its error concerns all of them', async () => {
  for (const [reason, runs] of [
    ['no such value', [[1], [2, 3, 4], [2], [3], [4]]],
    ['unavailable', [[1], [2, 3, 4]]],
  ] as const) {
    const batches: (readonly number[])[] = []
    const batcher = new KeyedBatcher<number, string>({
      run: (_, items) => {
        batches.push(items)
        return items.includes(3) ? Promise.reject(new Error(reason)) : Promise.resolve(items.map(String))
      },
      maxWeight: 64,
      retryIndividually: (error) => error instanceof Error && error.message !== 'unavailable',
    })
    const others =
      reason === 'unavailable' ? ['1', 'unavailable', 'unavailable', 'unavailable'] : ['1', '2', reason, '4']
    expect(await outcomes([1, 2, 3, 4].map((item) => batcher.submit('R1', item)))).toEqual(others)
    expect(batches).toEqual(runs)
  }
})
