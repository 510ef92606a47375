import { expect, test } from '@jest/globals'
import { optionAfter } from './options.ts'

test.each([
  ['ArrowDown', 0, 1],
  ['ArrowDown', 2, 0],
  ['ArrowUp', 0, 2],
  ['ArrowRight', 0, undefined],
  ['Enter', 0, undefined],
])('in a list of three, %s moves from %i to %p', (key, at, to) => expect(optionAfter(key, at, 3)).toBe(to))

test.each([
  ['ArrowDown', 1, 5],
  ['ArrowDown', 8, 9],
  ['ArrowUp', 5, 1],
  ['ArrowUp', 1, 0],
  ['ArrowRight', 3, 4],
  ['ArrowRight', 9, 9],
  ['ArrowLeft', 0, 0],
])('among ten options in rows of four, %s moves from %i to %i', (key, at, to) =>
  expect(optionAfter(key, at, 10, 4)).toBe(to),
)

test('without options no key has an effect', () => expect(optionAfter('ArrowDown', 0, 0)).toBeUndefined())
