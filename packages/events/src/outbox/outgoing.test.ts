import { fromBinary } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { EventSchema } from '@parley/contracts/internal'
import { maxEventBytes, outgoing, type OutgoingEvent } from './outgoing.ts'
import { shardCount } from './shards.ts'

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
  const row = outgoing({ ...event, id: 'E1' })
  expect(row).toMatchObject({ aggregate: 'auth.U1', subject: 'evt.auth.U1.login_succeeded', eventId: 'E1' })
  expect(fromBinary(EventSchema, row.payload)).toMatchObject({ id: 'E1', version: 7n, fact: event.fact })
})

test('an event without an id gets one', () => {
  expect(outgoing(event).eventId).toMatch(/^E[0-9A-Za-z]{14}$/)
  expect(outgoing(event).eventId).not.toBe(outgoing(event).eventId)
})

test('entries of one aggregate share a shard, and aggregates are spread over all shards', () => {
  const shards = Array.from({ length: 200 }, (_, index) => outgoing({ ...event, aggregateId: `U${index}` }).shard)
  expect(new Set(shards).size).toBe(shardCount)
  expect(outgoing({ ...event, kind: 'login_failed' }).shard).toBe(outgoing(event).shard)
})

test('an event that is too large or has an invalid id is refused', () => {
  const envelope = new Uint8Array(maxEventBytes)
  const deliveries = [{ envelope, audience: { case: 'everyone', value: true } as const }]
  expect(() => outgoing({ ...event, deliveries })).toThrow(RangeError)
  expect(() => outgoing({ ...event, aggregateId: 'U 1' })).toThrow(RangeError)
})
