import { expect, test } from '@jest/globals'
import { Shard } from './shard.ts'

const lease = { shard: 0, holder: 'h', fence: 1n, validUntil: Number.POSITIVE_INFINITY }
const entry = (id: bigint) => ({
  ...{ id, shard: 0, aggregate: 'room.R1', subject: 'evt.room.R1.message_posted' },
  ...{ eventId: `E${id}`, payload: Buffer.alloc(0) },
})

test('clearing a shard drops all its queues, but not queues added later', () => {
  const shard = new Shard(lease, { generation: 0, position: undefined })
  const stored = shard.take(entry(1n))
  stored.nextBatch()
  shard.recordStored(stored, [entry(1n)], { seq: 1, eventId: 'E1', storedAt: 0 })
  const waiting = shard.take(entry(2n))
  shard.clear()
  const later = shard.take(entry(3n))

  expect(stored).not.toBe(waiting)
  expect([stored, waiting, later].map(({ isDropped }) => isDropped)).toEqual([true, true, false])
})
