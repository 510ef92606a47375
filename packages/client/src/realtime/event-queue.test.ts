import { expect, test } from '@jest/globals'
import { EventQueue } from './event-queue.ts'

test.each([
  ['return', (queue: EventQueue<string>) => queue.return()],
  ['throw', (queue: EventQueue<string>) => queue.throw(new Error('enough')).catch(() => undefined)],
  ['await using', (queue: EventQueue<string>) => queue[Symbol.asyncDispose]()],
])('a queue closed by %s before its first value was read reports the close and drops its values', async (_, close) => {
  let closed = 0
  const queue = new EventQueue<string>({ capacity: 1, onDrop: () => undefined, onClose: () => closed++ })
  queue.push('unread')
  await close(queue)
  expect(closed).toBe(1)
  expect(await queue.next()).toEqual({ done: true, value: undefined })
})
