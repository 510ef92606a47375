import { expect, test } from '@jest/globals'
import { codeRangesIn } from './highlighter.ts'

const joinRanges = (code: string, language: string) =>
  codeRangesIn(code, language)
    .map(({ text }) => text)
    .join('')

test('highlighting keeps every character and finds keywords, strings and comments', () => {
  const code = `const greeting = "hi" // <b>&amp;\n`
  expect(joinRanges(code, 'ts')).toBe(code)
  expect(codeRangesIn(code, 'ts')).toEqual(
    expect.arrayContaining([
      { text: 'const', kind: 'keyword' },
      { text: '"hi"', kind: 'string' },
      { text: '// <b>&amp;', kind: 'comment' },
    ]),
  )
})

test.each([
  ['python', 'def f(n):\n    return n + 1\n'],
  ['sh', 'for f in *.txt; do echo "$f"; done\n'],
  ['yml', 'a: 1\nb: [true, "x"]\n'],
  ['json', '{"a": [1, null]}'],
  ['diff', '-old\n+new\n'],
  ['html', '<script>alert(1)</script>'],
])('%s is a known language or file extension', (language, code) => {
  expect(joinRanges(code, language)).toBe(code)
  expect(codeRangesIn(code, language).some(({ kind }) => kind !== undefined)).toBe(true)
})

test('code in an unknown language stays plain', () => {
  expect(codeRangesIn('x = 1', 'no-such-language')).toEqual([{ text: 'x = 1' }])
})
