import { expect, test } from '@jest/globals'
import { arrivedSince } from './arrivals.ts'
import { rowFor } from './_messages.ts'

const row = (id: string, by: string) => rowFor(id, { by })
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)
const before = [row('a', 'ann'), row('b', 'bob')]

test('only messages of others at the newest end count as arrived', () => {
  expect(ids(arrivedSince(before, [...before, row('c', 'bob'), row('d', 'ann')], 'ann'))).toEqual(['c'])
  expect(arrivedSince(before, before, 'ann')).toEqual([])
})

test('messages loaded at the oldest end, or elsewhere, do not count as arrived', () => {
  expect(arrivedSince(before, [row('z', 'bob'), ...before], 'ann')).toEqual([])
  expect(arrivedSince(before, [row('x', 'bob'), row('y', 'bob')], 'ann')).toEqual([])
  expect(arrivedSince([], before, 'ann')).toEqual([])
})
