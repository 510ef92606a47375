import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { splitBody } from './split-body.ts'

test.each([
  ['a short text stays in one part', 'tea', ['tea']],
  ['an empty text has no parts', '', []],
  ['a long text is cut at line ends', 'aaaaaa\nbbbbbb\ncccc', ['aaaaaa', 'bbbbbb', 'cccc']],
  ['a long line is cut at spaces', 'aaaaaa bbbbbb', ['aaaaaa', 'bbbbbb']],
  ['a long word is cut anywhere', 'aaaaaaaaaaaaa', ['aaaaaaaaaa', 'aaa']],
])('%s', (_, text, parts) => expect(splitBody(text, 10)).toEqual(parts))

test('no part is too long, no character is split, and only white space is lost', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const parts = splitBody(text, 16)
      for (const part of parts) {
        expect(Buffer.byteLength(part)).toBeLessThanOrEqual(16)
        expect(Buffer.from(part).toString()).toBe(part)
      }
      expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
    }),
  )
})
