import { expect, test } from '@jest/globals'
import { isDisplayName, displayNameFrom } from './display-name.ts'

test.each([
  'Anna',
  'Ann-Marie O’Neil',
  "Dr. D'Arcy_2",
  'Łukasz Müller',
  '李小龍',
  'नमिता',
  'Zoe\u0308',
  '7of9',
  'Max 🎉 + ^€',
  'Heart ❤️',
  'x'.repeat(32),
  `a${'😀'.repeat(31)}`,
])('"%s" is a display name', (name) => {
  expect(displayNameFrom(name)).toBe(name)
  expect(isDisplayName(name)).toBe(true)
})

test('spaces around a display name are removed; an empty one becomes null', () => {
  expect(displayNameFrom('  Anna B  ')).toBe('Anna B')
  expect(displayNameFrom('')).toBeNull()
  expect(displayNameFrom('   ')).toBeNull()
  expect(isDisplayName(' Anna')).toBe(false)
  expect(isDisplayName('')).toBe(false)
})

test.each([
  ['more than 32 characters', 'x'.repeat(33)],
  ['a leading symbol', '🎉 Max'],
  ['a leading dot', '.max'],
  ['a leading combining mark', '\u0301a'],
  ['two spaces', 'Anna  B'],
  ['a line break', 'Anna\nB'],
  ['a tab', 'Anna\tB'],
  ['a NUL', 'Anna\0'],
  ['a zero-width space', 'An\u200Bna'],
  ['a zero-width joiner', 'An\u200Dna'],
  ['a direction mark', 'An\u200Fna'],
  ['a direction override', 'An\u202Ena'],
  ['a word joiner', 'An\u2060na'],
  ['a byte order mark', 'An\uFEFFna'],
  ['a Hangul filler', 'An\u3164na'],
  ['a braille blank', 'An\u2800na'],
  ['a soft hyphen', 'An\u00ADna'],
  ['a no-break space', 'An\u00A0na'],
  ['an at sign', 'an@na'],
  ['a bracket', 'Anna <b>(x)'],
  ['an unpaired surrogate', 'Anna\uD83D'],
])('a display name with %s is refused', (_, name) => {
  expect(() => displayNameFrom(name)).toThrow('invalid display name')
  expect(isDisplayName(name)).toBe(false)
})
