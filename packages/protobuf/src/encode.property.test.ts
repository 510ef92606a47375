import { create, ScalarType, toBinary, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import * as admin from '@parley/contracts/admin'
import * as api from '@parley/contracts/api'
import * as auth from '@parley/contracts/auth'
import * as discovery from '@parley/contracts/discovery'
import * as internal from '@parley/contracts/internal'
import * as realtime from '@parley/contracts/realtime'
import { encode } from './encode.ts'

const isMessage = (value: unknown): value is DescMessage =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'message'
const messages = [admin, api, auth, discovery, internal, realtime].flatMap((module) =>
  Object.values(module).filter(isMessage),
)
const maxDepth = 3
/** A few runs for each of several hundred types cover each kind of field many times. */
const numRuns = process.env['PARLEY_TEST_LONG'] ? 25 : 5

/** Text with characters of every encoded size, text around the limits of the length prefix, and lone surrogates. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '',
    '\ud800',
    'é'.repeat(64),
    ...[47, 48, 49, 127, 128, 129, 16_383, 16_384, 70_000].map((n) => 'x'.repeat(n)),
  ),
)

function scalar(type: ScalarType): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return text
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 200 })
    case ScalarType.BOOL:
      return fc.boolean()
    case ScalarType.INT32:
      return fc.integer()
    case ScalarType.UINT32:
      return fc.nat({ max: 0xffffffff })
    case ScalarType.INT64:
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    case ScalarType.UINT64:
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
    case ScalarType.DOUBLE:
      return fc.double()
    default:
      throw new Error(`no values of scalar type ${type}`)
  }
}

// protobuf-es loses an entry of this name, which sets the prototype of its object.
const mapKey = text.filter((key) => key !== '__proto__')

function valueOf(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.message) return messageOf(field.message, depth + 1)
  if (field.enum) return fc.constantFrom(...field.enum.values.map(({ number }) => number))
  return scalar(field.scalar)
}

function fieldOf(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.fieldKind === 'list') return fc.array(valueOf(field, depth), { maxLength: 3 })
  if (field.fieldKind === 'map') return fc.dictionary(mapKey, valueOf(field, depth), { maxKeys: 3 })
  return valueOf(field, depth)
}

/** Input for a message of the type: plain objects, in which any field may be left out. */
function messageOf(schema: DescMessage, depth = 0): fc.Arbitrary<Record<string, unknown>> {
  const isTooDeep = (field: DescField) => depth >= maxDepth && field.message !== undefined
  const members = schema.members.flatMap((member): [string, fc.Arbitrary<unknown>][] => {
    if (member.kind === 'field') return isTooDeep(member) ? [] : [[member.localName, fieldOf(member, depth)]]
    const cases = member.fields.filter((field) => !isTooDeep(field))
    const groups = cases.map((field) => fieldOf(field, depth).map((value) => ({ case: field.localName, value })))
    return [[member.localName, fc.oneof(fc.constant({ case: undefined }), ...groups)]]
  })
  return fc.record(Object.fromEntries(members), { requiredKeys: [] })
}

describe.each(messages.map((schema) => [schema.typeName, schema] as const))('%s', (_, schema) => {
  test('is encoded as by protobuf-es, from messages and plain objects', () => {
    fc.assert(
      fc.property(messageOf(schema), (init) => {
        const made = create(schema, init)
        const expected = Buffer.from(toBinary(schema, made)).toString('hex')
        expect(Buffer.from(encode(schema, init)).toString('hex')).toBe(expected)
        expect(Buffer.from(encode(schema, made)).toString('hex')).toBe(expected)
      }),
      { numRuns },
    )
  })
})

test('unknown fields are kept', () => {
  const known = create(api.RoomSchema, { id: 'R1' })
  const message: Message = Object.assign(known, {
    $unknown: [{ no: 900, wireType: 2, data: Uint8Array.of(2, 65, 66) }],
  })
  expect(encode(api.RoomSchema, message as typeof known)).toEqual(new Uint8Array(toBinary(api.RoomSchema, known)))
})

test('the error for a value out of range contains the type, and the next message is encoded correctly', () => {
  const event = { id: 'E1', createdAt: { seconds: 2n ** 63n, nanos: 0 } }
  expect(() => encode(realtime.RealtimeEventEnvelopeSchema, event)).toThrow(
    'cannot encode svc.realtime.v1.RealtimeEventEnvelope: invalid int64',
  )
  expect(encode(api.RoomSchema, { id: 'R1' })).toEqual(Uint8Array.of(10, 2, 82, 49))
})
