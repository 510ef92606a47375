import { expect, test } from '@jest/globals'
import { excessCharacters } from './excess-characters.ts'

test.each([
  ['a text within the limit', 'a'.repeat(10), 0],
  ['ASCII', 'a'.repeat(12), 2],
  ['letters of two bytes', 'ä'.repeat(7), 2],
  ['a letter that fits only in part', `${'a'.repeat(9)}ä`, 1],
  ['characters outside the basic plane', '😀'.repeat(4), 2],
])('characters beyond 10 bytes are counted in %s', (_, text, excess) => expect(excessCharacters(text, 10)).toBe(excess))
