import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { Msg } from 'nats'
import { BatchQueue } from './batch-queue.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const message = {} as Msg

/** Decodes each message to its number in order of arrival. Number `urgent` is urgent; number `large` has size 5. */
function newQueue(maxAtOnce = 10, urgent = Infinity, large = Infinity) {
  const handled: number[][] = []
  let count = 0
  const queue = new BatchQueue<number>(
    { maxAtOnce, pauseMs: 50 },
    {
      decode: () => ({ decoded: ++count, size: count === large ? 5 : 1, isUrgent: count === urgent, shard: 0 }),
      handle: async (numbers) => {
        handled.push(numbers)
        await new Promise((resolve) => setTimeout(resolve, 5))
      },
    },
  )
  const add = (times: number) => Array.from({ length: times }, () => queue.add(message))
  return { queue, add, handled }
}
const advance = (ms: number) => jest.advanceTimersByTimeAsync(ms)

test('messages that find the queue idle are handled at once, later ones together after a pause', async () => {
  const { queue, add, handled } = newQueue()
  add(2)
  await advance(1)
  expect(handled).toEqual([[1, 2]])
  add(1)
  await advance(20)
  add(2)
  await advance(33)
  expect([handled.length, queue.size]).toEqual([1, 3])
  await advance(2)
  expect(handled).toEqual([
    [1, 2],
    [3, 4, 5],
  ])
  await advance(200)
  expect(queue.size).toBe(0)
  add(1)
  await advance(1)
  expect(handled.at(-1)).toEqual([6])
})

test('the pause ends when a full batch is waiting', async () => {
  const { add, handled } = newQueue(3)
  add(1)
  await advance(10)
  add(7)
  await advance(11)
  expect(handled).toEqual([[1], [2, 3, 4], [5, 6, 7]])
  await advance(50)
  expect(handled.at(-1)).toEqual([8])
})

test('an urgent message ends the pause; while one waits, no pause begins', async () => {
  const between = newQueue(10, 3)
  between.add(1)
  await advance(10)
  between.add(1)
  await advance(10)
  expect(between.handled).toEqual([[1]])
  between.add(1)
  await advance(1)
  expect(between.handled).toEqual([[1], [2, 3]])

  const during = newQueue(10, 2)
  during.add(1)
  await advance(1)
  during.add(1)
  await advance(5)
  expect(during.handled).toEqual([[1], [2]])
})

test('an urgent message that did not fit into a batch is handled without a pause', async () => {
  const { add, handled } = newQueue(2, 3)
  add(3)
  await advance(6)
  expect(handled).toEqual([[1, 2], [3]])
})

test('a large message is handled without others', async () => {
  const { add, handled } = newQueue(4, Infinity, 2)
  add(4)
  await advance(60)
  expect(handled).toEqual([[1], [2], [3, 4]])
})

test('waitUntilBelow(n) resolves once fewer than n messages are waiting or being handled', async () => {
  const { queue, add } = newQueue()
  add(4)
  let isBelow = false
  void queue.waitUntilBelow(1).then(() => (isBelow = true))
  await advance(4)
  expect(isBelow).toBe(false)
  await advance(2)
  expect(isBelow).toBe(true)
})
