import { expect, test } from '@jest/globals'
import { inOrder } from './in-order.ts'

test('answers in first-seen order, once each, and leaves out what is unknown', () => {
  const found = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
  expect(inOrder(['c', 'x', 'a', 'c'], found, ({ id }) => id)).toEqual([{ id: 'c' }, { id: 'a' }])
})
