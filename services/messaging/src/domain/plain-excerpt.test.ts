import { expect, test } from '@jest/globals'
import { plainExcerpt } from './plain-excerpt.ts'

test.each([
  ['hello', 'hello'],
  ['', ''],
  ['**bold** and *both _kinds_* and ~~gone~~', 'bold and both kinds and gone'],
  ['***both***', 'both'],
  ['a * b * c, 2 * 3, snake_case_name, *open', 'a * b * c, 2 * 3, snake_case_name, *open'],
  ['\\*not\\* emphasis, a \\_ b', '*not* emphasis, a _ b'],
  ['`**code** \\* stays` and ``a ` b``', '**code** \\* stays and a ` b'],
  ['an ` alone', 'an ` alone'],
  ['[a link](https://example.org/a_(b)) here', 'a link here'],
  ['![a picture](https://example.org/a.png "title")', 'a picture'],
  ['<https://example.org/a_b_c>', 'https://example.org/a_b_c'],
  ['if a < b > c', 'if a < b > c'],
  ['# Heading\n\ntext', 'Heading text'],
  ['> quoted\n> > deeper\n\nanswer', 'quoted deeper answer'],
  ['- one\n- two\n  1. three', 'one two three'],
  ['above\n---\nbelow', 'above below'],
  ['```ts\nconst a = **b**\n```\nsee above', 'const a = **b** see above'],
  ['#hash and -dash and 1.5', '#hash and -dash and 1.5'],
  ['  much \t white\u00a0\u2003space  ', 'much white space'],
  ['@ann look', '@ann look'],
  ['\ue041 icon', '\ufffd icon'],
])('%j is shown as %j', (markdown, plain) => {
  expect(plainExcerpt(markdown)).toBe(plain)
})

test('an excerpt has at most 100 characters and ends between grapheme clusters, unless the first is longer', () => {
  expect(plainExcerpt('x'.repeat(101))).toBe('x'.repeat(100))
  const family = '👨‍👩‍👧‍👦'
  expect(plainExcerpt('x'.repeat(93) + family)).toBe('x'.repeat(93) + family)
  expect(plainExcerpt('x'.repeat(94) + family)).toBe('x'.repeat(94))
  expect(plainExcerpt(`${'x'.repeat(99)}e\u0301`)).toBe('x'.repeat(99))
  expect([...plainExcerpt(`a${'\u0301'.repeat(500)}`)]).toHaveLength(100)
})
