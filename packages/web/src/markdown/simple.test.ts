import { expect, test } from '@jest/globals'
import { payloads } from './_payloads.ts'
import { simpleTreeOf } from './simple.ts'
import { parsedTreeOf, type Piece, piecesOf } from './tree.ts'

const shown = (piece: Piece): unknown =>
  piece.type === 'text' ? piece.value : [piece.tagName, piece.properties, piecesOf(piece).map(shown)]
const simply = (body: string) => {
  const tree = simpleTreeOf(body)
  return tree && piecesOf(tree).map(shown)
}
const fully = (body: string) => piecesOf(parsedTreeOf(body)).map(shown)

test.each([
  'Shall we ship today?',
  'Message 7, of **ordinary** length, as people write them: see https://example.org/7',
  '**Now.** (*or* _later_, as `it` is)',
  'well, @ann: the snake_case_name is 1/2 done, ÄÖ 😀',
  'one\ntwo **three**\n\n2 more, https://example.org/a?b=c&d=e#f.',
])('%j is parsed by the regular expression, with the same result as the parser', (body) => {
  expect(simply(body)).toBeDefined()
  expect(simply(body)).toEqual(fully(body))
})

test.each([
  ...[
    '1. a list',
    '- a list',
    '# A heading',
    '> said',
    '```\ncode\n```',
    'a\n---',
    '    code',
    'a  \nb',
    'www.example.org',
  ],
  ...[
    '[a](https://example.org)',
    '<https://example.org>',
    'a \\* b',
    '&amp;',
    'a * b',
    'ann@example.org',
    '**a *b* c**',
  ],
])('%j is left to the parser', (body) => expect(simply(body)).toBeUndefined())

test.each([
  'Shall we ship?',
  'a. not a list',
  'Well - yes; no: "perhaps" (or not)…',
  'Ça va, Grüße – 10:02, e.g. 3.5',
  'two  spaces   between',
  'So!',
  'wwwhat, www',
  'see www.example.org',
  'Ends in a space ',
  'mailto:nobody and http:',
  '🎉',
  '日本語で書く。',
  'so 👍🏽 it is',
  '\u00a0held together\u00a0',
  '\u3000wide\u2028lines\u0085',
  '• no list',
  ...['\uFEFF# Plan', '\uFEFF- a', '\uFEFF> said', 'a\uFEFFb', '`a\rb`', '`a\r- b`', 'https://-a.b', 'https://a.-b'],
])('%j gives the same result as the parser', (body) => expect(simply(body) ?? fully(body)).toEqual(fully(body)))

let state = 1
/** The next pseudo-random number below `to`; the sequence is the same in each run. */
const chance = (to: number): number => (state = (state * 48_271) % 2_147_483_647) % to

test('random messages give the same result as the parser', () => {
  const parts = [
    ...[
      'a',
      'word',
      '7',
      'ß',
      '😀',
      '@ann',
      'snake_case',
      'http://',
      'https://-',
      'https://example.org',
      'https://a-b.example.org/x_y/?q=1+2&r=%20#z',
    ],
    ...[
      '*',
      '**',
      '_',
      '`',
      '~',
      '\\',
      '&',
      '<',
      '>',
      '[',
      ']',
      '(',
      ')',
      '#',
      '-',
      '+',
      '=',
      '.',
      ',',
      '!',
      '?',
      ':',
      ';',
    ],
    ...[
      ' ',
      ' ',
      ' ',
      ' ',
      '\n',
      '\n\n',
      '\t',
      '\r',
      '\uFEFF',
      '**bold**',
      '*soft*',
      '_soft_',
      '`code`',
      '1.',
      '"',
      "'",
      '/',
      '|',
      'www.',
    ],
  ]
  let simple = 0
  for (let count = 0; count < 20_000; count++) {
    const body = Array.from({ length: 1 + chance(7) }, () => parts[chance(parts.length)]).join('')
    const tree = simply(body)
    if (tree === undefined) continue
    simple++
    expect({ body, tree }).toEqual({ body, tree: fully(body) })
  }
  expect(simple).toBeGreaterThan(1_000)
})

test('attack payloads give the same result as the parser', () => {
  for (const body of payloads) expect(simply(body) ?? fully(body)).toEqual(fully(body))
})
