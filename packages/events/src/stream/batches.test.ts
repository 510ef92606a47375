import { expect, test } from '@jest/globals'
import { batchSize } from './batches.ts'

const entries = (count: number, bytes: number, subject = 'evt.room.R1.a') =>
  Array.from({ length: count }, () => ({ subject, payload: new Uint8Array(bytes) }))

test.each([
  ['no entries', entries(0, 0), 0],
  ['a few entries', entries(5, 100), 5],
  ['at most 64 entries', entries(100, 10), 64],
  ['at most 64 KiB', entries(10, 10_000), 6],
  ['a single entry that is larger than 64 KiB', entries(2, 100_000), 1],
  ['entries of one subject only', [...entries(3, 10), ...entries(3, 10, 'evt.room.R1.b')], 3],
])('a message contains %s', (_, waiting, size) => {
  expect(batchSize(waiting)).toBe(size)
})
