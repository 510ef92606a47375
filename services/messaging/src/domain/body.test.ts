import { describe, expect, test } from '@jest/globals'
import { checkBody } from './body.ts'

describe('checkBody', () => {
  test.each(['hello', ' x ', '👋', 'é', '한', '.', '\u{E000}', '\u{1FAE8}'])('accepts %j', (body) => {
    expect(checkBody(body, false)).toBe(body)
  })

  test.each(['', ' ', '\n\t', '\u200B', '\u00AD', '\uFEFF\u2060', '\u3164', '\u2800', '\u0007'])(
    'rejects %j, which shows nothing, unless there are attachments',
    (body) => {
      expect(() => checkBody(body, false)).toThrow('at least one visible character')
      expect(checkBody(body, true)).toBe(body)
    },
  )

  test('counts bytes, not characters', () => {
    expect(checkBody('a'.repeat(10_000), false)).toHaveLength(10_000)
    expect(checkBody('é'.repeat(5_000), false)).toHaveLength(5_000)
    expect(() => checkBody('a'.repeat(10_001), false)).toThrow('at most 10000 bytes')
    expect(() => checkBody('é'.repeat(5_001), false)).toThrow('at most 10000 bytes')
  })

  test('refuses text that the database cannot store', () => {
    expect(() => checkBody('a\0b', false)).toThrow('U+0000')
  })
})
