import { expect, test } from '@jest/globals'
import { inOrderOfIds } from './in-order.ts'

test('items have the order of the ids, without duplicates and unknown ids', () => {
  const found = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
  expect(inOrderOfIds(['c', 'x', 'a', 'c'], found, ({ id }) => id)).toEqual([{ id: 'c' }, { id: 'a' }])
})
