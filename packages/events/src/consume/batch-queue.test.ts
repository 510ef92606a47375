import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { Msg } from 'nats'
import { BatchQueue } from './batch-queue.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const message = {} as Msg

/** A queue of numbers in order of arrival; one is urgent, and one counts for several. */
function newHeap(maxAtOnce = 10, urgent = Infinity, large = Infinity) {
  const worked: number[][] = []
  let count = 0
  const queue = new BatchQueue<number>(
    { maxAtOnce, pauseMs: 50 },
    {
      open: () => ({ opened: ++count, size: count === large ? 5 : 1, isUrgent: count === urgent, shard: 0 }),
      work: async (those) => {
        worked.push(those)
        await new Promise((resolve) => setTimeout(resolve, 5))
      },
    },
  )
  const add = (times: number) => Array.from({ length: times }, () => queue.add(message))
  return { queue, add, worked }
}
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms)

test('a message that finds the queue idle is handled at once, later ones together', async () => {
  const { queue, add, worked } = newHeap()
  add(2)
  await pass(1)
  expect(worked).toEqual([[1, 2]])
  add(1)
  await pass(20)
  add(2)
  await pass(33)
  expect([worked.length, queue.size]).toEqual([1, 3])
  await pass(2)
  expect(worked).toEqual([
    [1, 2],
    [3, 4, 5],
  ])
  await pass(200)
  expect(queue.size).toBe(0)
  add(1)
  await pass(1)
  expect(worked.at(-1)).toEqual([6])
})

test('the pause ends when there is enough', async () => {
  const { add, worked } = newHeap(3)
  add(1)
  await pass(10)
  add(7)
  await pass(11)
  expect(worked).toEqual([[1], [2, 3, 4], [5, 6, 7]])
  await pass(50)
  expect(worked.at(-1)).toEqual([8])
})

test('the pause ends when something urgent arrives or is already waiting', async () => {
  const between = newHeap(10, 3)
  between.add(1)
  await pass(10)
  between.add(1)
  await pass(10)
  expect(between.worked).toEqual([[1]])
  between.add(1)
  await pass(1)
  expect(between.worked).toEqual([[1], [2, 3]])

  const during = newHeap(10, 2)
  during.add(1)
  await pass(1)
  during.add(1)
  await pass(5)
  expect(during.worked).toEqual([[1], [2]])
})

test('an urgent message that did not fit waits for no pause', async () => {
  const { add, worked } = newHeap(2, 3)
  add(3)
  await pass(6)
  expect(worked).toEqual([[1, 2], [3]])
})

test('a large message leaves no room for others', async () => {
  const { add, worked } = newHeap(4, Infinity, 2)
  add(4)
  await pass(60)
  expect(worked).toEqual([[1], [2], [3, 4]])
})

test('a waiting caller is notified when fewer are in progress', async () => {
  const { queue, add } = newHeap()
  add(4)
  let less = false
  void queue.below(1).then(() => (less = true))
  await pass(4)
  expect(less).toBe(false)
  await pass(2)
  expect(less).toBe(true)
})
