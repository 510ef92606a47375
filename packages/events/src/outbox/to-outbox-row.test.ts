import { fromBinary } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { EventSchema } from '@parley/contracts/internal'
import { maxEventBytes, toOutboxRow, type OutgoingEvent } from './to-outbox-row.ts'
import { shardCount, shardOf } from './shards.ts'

const event: OutgoingEvent = {
  kind: 'login_succeeded',
  aggregateType: 'auth',
  aggregateId: 'U1',
  version: 7n,
  occurredAt: new Date(),
  actorId: 'U1',
  fact: { case: 'login', value: { succeeded: true } },
}

test('an entry contains the encoded event, its subject and its shard', () => {
  const row = toOutboxRow({ ...event, id: 'E1' })
  expect(row).toMatchObject({ aggregate: 'auth.U1', subject: 'evt.auth.U1.login_succeeded', eventId: 'E1' })
  expect(row.shard).toBe(shardOf('auth.U1'))
  expect(fromBinary(EventSchema, row.payload)).toMatchObject({ id: 'E1', version: 7n, fact: event.fact })
})

test('an event without an id gets one', () => {
  expect(toOutboxRow(event).eventId).toMatch(/^E[0-9A-Za-z]{14}$/)
  expect(toOutboxRow(event).eventId).not.toBe(toOutboxRow(event).eventId)
})

test('entries of one aggregate share a shard, and aggregates are spread over all shards', () => {
  const shards = Array.from({ length: 200 }, (_, index) => toOutboxRow({ ...event, aggregateId: `U${index}` }).shard)
  expect(new Set(shards).size).toBe(shardCount)
  expect(toOutboxRow({ ...event, kind: 'login_failed' }).shard).toBe(toOutboxRow(event).shard)
})

test('an event that is too large or has an invalid aggregate id is refused', () => {
  const envelope = new Uint8Array(maxEventBytes)
  const deliveries = [{ envelope, audience: { case: 'everyone', value: true } as const }]
  expect(() => toOutboxRow({ ...event, deliveries })).toThrow(RangeError)
  expect(() => toOutboxRow({ ...event, aggregateId: 'U 1' })).toThrow(RangeError)
})
