import { expect, test } from '@jest/globals'
import { rowFor } from './_messages.ts'
import { unseenAfter } from './unseen.ts'

test('messages by others after the row that was seen last are counted', () => {
  const joined = { ...rowFor('joined'), event: { case: undefined } } as const
  const rows = [rowFor('a'), rowFor('b'), rowFor('mine', { by: 'U2' }), joined, rowFor('c')]
  expect(unseenAfter(rows, 'a', 'U2')).toBe(2)
  expect(unseenAfter(rows, 'c', 'U2')).toBe(0)
  expect(unseenAfter(rows, 'dropped', 'U2')).toBe(0)
  expect(unseenAfter(rows, undefined, 'U2')).toBe(0)
})
