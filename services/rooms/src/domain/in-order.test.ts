import { expect, test } from '@jest/globals'
import { inOrder } from './in-order.ts'

test('returns items in order, without duplicates, and leaves out unknown ones', () => {
  const found = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
  expect(inOrder(['c', 'x', 'a', 'c'], found, ({ id }) => id)).toEqual([{ id: 'c' }, { id: 'a' }])
})
