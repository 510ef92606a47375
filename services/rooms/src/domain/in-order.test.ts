import { expect, test } from '@jest/globals'
import { inOrderOfIds } from './in-order.ts'

test('items are returned in the order of the ids, without duplicates, and unknown ids are left out', () => {
  const found = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
  expect(inOrderOfIds(['c', 'x', 'a', 'c'], found, ({ id }) => id)).toEqual([{ id: 'c' }, { id: 'a' }])
})
