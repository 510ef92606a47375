import { expect, test } from '@jest/globals'
import { Code, ConnectError } from '@connectrpc/connect'
import { decodeCursor, encodeCursor } from './cursor.ts'

test('a cursor decodes to the values of its key, as text', () => {
  expect(decodeCursor(encodeCursor(['R1', 12, 2n ** 60n, 'ä,"']))).toEqual(['R1', '12', '1152921504606846976', 'ä,"'])
})

test.each([
  '',
  'x',
  'bm90IGpzb24',
  Buffer.from('{"a":1}').toString('base64url'),
  Buffer.from('[1]').toString('base64url'),
])('an invalid cursor gives invalid_argument: "%s"', (cursor) => {
  expect(() => decodeCursor(cursor)).toThrow(ConnectError)
  expect(() => decodeCursor(cursor)).toThrow(expect.objectContaining({ code: Code.InvalidArgument }))
})
