import { create } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { AdminEventLogFilterSchema } from '@parley/contracts/admin'
import { entryFilter, hasCondition, toPageSize, parseSequence } from './event-log-request.ts'

const invalid = expect.objectContaining({ code: Code.InvalidArgument })
const time = (ms: number, nanos = 0) => ({ seconds: BigInt(ms) / 1000n, nanos: (ms % 1000) * 1_000_000 + nanos })
const filter = (of: Parameters<typeof create<typeof AdminEventLogFilterSchema>>[1]) =>
  entryFilter(create(AdminEventLogFilterSchema, of))

test('the limit is 50 by default and at most 200', () => {
  expect([0, 1, 200, 201, 2 ** 31 - 1].map(toPageSize)).toEqual([50, 1, 200, 200, 200])
})

test('a sequence is a decimal number; one above 2^63-1 is lowered to it', () => {
  expect(parseSequence('0')).toBe(0n)
  expect(parseSequence('42')).toBe(42n)
  expect(parseSequence('9'.repeat(40))).toBe(2n ** 63n - 1n)
  for (const text of ['', 'x', '-1', '1.5', ' 1', '0x1f', '１']) expect(() => parseSequence(text)).toThrow(invalid)
})

test('an empty filter has no condition', () => {
  expect(hasCondition(entryFilter(undefined))).toBe(false)
  expect(hasCondition(filter({}))).toBe(false)
  expect(hasCondition(filter({ eventType: 'RoomCreatedEvent' }))).toBe(true)
  expect(hasCondition(filter({ actorId: 'U1' }))).toBe(true)
  expect(hasCondition(filter({ createdAtTo: time(0) }))).toBe(true)
})

test('times are rounded inwards to milliseconds and must be in order', () => {
  expect(filter({ createdAtFrom: time(5000), createdAtTo: time(5000) })).toMatchObject({
    from: new Date(5000),
    to: new Date(5000),
  })
  expect(filter({ createdAtFrom: time(5000, 1), createdAtTo: time(6000, 1) })).toMatchObject({
    from: new Date(5001),
    to: new Date(6000),
  })
  expect(filter({ createdAtFrom: time(5000, 600_000), createdAtTo: time(6000, 600_000) })).toMatchObject({
    from: new Date(5001),
    to: new Date(6000),
  })
  expect(() => filter({ createdAtFrom: time(5000, 1), createdAtTo: time(5000) })).toThrow(invalid)
  expect(() => filter({ createdAtFrom: time(6000), createdAtTo: time(5000) })).toThrow(invalid)
})
