import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { expect, test } from '@jest/globals'
import {
  DeliverySchema,
  EventBatchSchema,
  EventSchema,
  UserAudienceSchema,
  type Event,
} from '@parley/contracts/internal'
import { encodeBatch } from './batches.ts'
import { decodeBatch } from './decode.ts'

const full: MessageInitShape<typeof EventSchema> = {
  id: 'E1',
  kind: 'user_joined_room',
  aggregateType: 'room',
  aggregateId: 'Räume',
  version: 2n ** 63n + 5n,
  occurredAt: timestampFromDate(new Date('2020-01-01T00:00:00.123Z')),
  actorId: 'U1',
  traceparent: '00-1-2-01',
  deliveries: [
    { envelope: Uint8Array.of(1, 2, 3), audience: { case: 'roomId', value: 'R1' } },
    { envelope: new Uint8Array(300), audience: { case: 'users', value: { userIds: ['U1', 'U2'] } } },
    { audience: { case: 'everyone', value: true } },
  ],
  fact: { case: 'roomFact', value: { roomSeq: 300n, fact: { fact: { case: 'joined', value: { userId: 'U1' } } } } },
}

const plain = (events: Event[]): unknown =>
  JSON.parse(
    JSON.stringify(
      events.map((event) => ({ ...event, fact: event.fact })),
      (_, item: unknown) => (typeof item === 'bigint' ? `${item}n` : item),
    ),
  )

const expectSameDecoding = (data: Uint8Array) => {
  expect(plain(decodeBatch(data))).toEqual(plain(fromBinary(EventBatchSchema, data).events))
}

const events = [
  create(EventSchema, full),
  create(EventSchema),
  create(EventSchema, { id: 'E2', version: 127n, fact: { case: 'login', value: { succeeded: true } } }),
  create(EventSchema, { version: 2n ** 49n, occurredAt: timestampFromDate(new Date(-1500)) }),
  create(EventSchema, { version: 2n ** 64n - 1n }),
]

test('decodeBatch returns the same as the generic decoder', () => {
  expectSameDecoding(toBinary(EventBatchSchema, create(EventBatchSchema, { events })))
})

test('a batch of encoded events has the same bytes as one encoded as a whole', () => {
  const batch = encodeBatch(events.map((event) => toBinary(EventSchema, event)))
  expect(Buffer.from(toBinary(EventBatchSchema, create(EventBatchSchema, { events })))).toEqual(batch)
})

test('a fact is decoded only when its value is read', () => {
  const login = toBinary(EventSchema, create(EventSchema, { fact: { case: 'login', value: { succeeded: true } } }))
  // The last byte is the value of a flag; 0xff announces another byte, which is missing.
  login[login.length - 1] = 0xff
  const [event] = decodeBatch(encodeBatch([login]))
  expect(event?.fact.case).toBe('login')
  expect(() => event?.fact.value).toThrow()
})

test('the schema has only the fields that decodeBatch reads', () => {
  expect(EventSchema.fields.filter((field) => !field.oneof).map((field) => field.number)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9,
  ])
  expect(DeliverySchema.fields.map((field) => field.number)).toEqual([1, 2, 3, 4])
  expect(UserAudienceSchema.fields.map((field) => field.number)).toEqual([1])
})

test('decodeBatch skips fields of later versions', () => {
  const unknown = Uint8Array.of(
    0xa0,
    0x06,
    0x05,
    0xaa,
    0x06,
    0x01,
    0x00,
    0xb5,
    0x06,
    1,
    2,
    3,
    4,
    0xb9,
    0x06,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
  )
  const event = Buffer.concat([unknown, toBinary(EventSchema, create(EventSchema, full)), unknown])
  const [decoded] = decodeBatch(encodeBatch([event]))
  expect(decoded?.id).toBe('E1')
  expect(decoded?.deliveries).toHaveLength(3)
  expect(decoded?.fact.case).toBe('roomFact')
})

test('decodeBatch throws if the bytes are not a batch', () => {
  const data = toBinary(EventBatchSchema, create(EventBatchSchema, { events }))
  expect(() => decodeBatch(data.subarray(0, 50))).toThrow(RangeError)
  expect(() => decodeBatch(Buffer.from('garbage'))).toThrow(RangeError)
})
