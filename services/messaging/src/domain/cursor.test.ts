import { expect, test } from '@jest/globals'
import { decodeCursor, encodeCursor, maxPlace } from './cursor.ts'

test.each([0n, 1n, 255n, 2n ** 40n, maxPlace])('the place %s is decoded from its cursor', (seq) => {
  expect(decodeCursor(encodeCursor(seq))).toBe(seq)
})

test('an empty cursor means no cursor', () => {
  expect(decodeCursor('')).toBeUndefined()
})

test.each([
  'x',
  'tl:',
  'tl:AAAA',
  'seq:1',
  encodeCursor(1n) + 'A',
  encodeCursor(1n) + '=',
  ' ' + encodeCursor(1n),
  'tl:AgAAAAAAAAAB',
  'tl:Af__________',
])('%j is refused as a cursor', (cursor) => {
  expect(() => decodeCursor(cursor)).toThrow('cursor')
})
