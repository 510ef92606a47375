import { expect, test } from '@jest/globals'
import { isKnownTag } from './etag.ts'

test.each([
  [undefined, false],
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  ['', false],
])('If-None-Match %j knows "a": %s', (header, known) => {
  expect(isKnownTag(header, '"a"')).toBe(known)
})
