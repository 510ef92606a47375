import { expect, test } from '@jest/globals'
import { isReordering, isSameOrder } from './reordering.ts'

test.each<[string[], string[], boolean]>([
  [['a', 'b', 'c'], ['c', 'a', 'b'], true],
  [[], [], true],
  [['a', 'b'], ['a'], false],
  [['a'], ['a', 'b'], false],
  [['a', 'b'], ['a', 'a'], false],
  [['a', 'b'], ['a', 'x'], false],
])('%j to %j is a reordering: %s', (current, wanted, expected) => {
  expect(isReordering(current, wanted)).toBe(expected)
})

test('equal orders have the same items in the same positions', () => {
  expect(isSameOrder(['a', 'b'], ['a', 'b'])).toBe(true)
  expect(isSameOrder(['a', 'b'], ['b', 'a'])).toBe(false)
  expect(isSameOrder(['a', 'b'], ['a'])).toBe(false)
})
