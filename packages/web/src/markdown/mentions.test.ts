import { expect, test } from '@jest/globals'
import { stretchesOf } from './mentions.ts'

const marked = (text: string) =>
  stretchesOf(text)
    .map(({ text: stretch, login }) => (login === undefined ? stretch : `[${login}]`))
    .join('')

test.each([
  ['hello @ann, and @Bob-2!', 'hello [ann], and [Bob-2]!'],
  ['@ann', '[ann]'],
  ['@ann.lee. Bye', '[ann.lee]. Bye'],
  ['(@ann)', '([ann])'],
  ['ann@example.org and a/@ann and @@ann', 'ann@example.org and a/@ann and @@ann'],
  ['@all, @here and @Here', '@all, @here and @Here'],
  ['no mention @ all', 'no mention @ all'],
  ['', ''],
])('%j', (text, wanted) => expect(marked(text)).toBe(wanted))

test('nothing of a text is lost', () => {
  const text = 'a @ann b @all @x- @bob'
  expect(
    stretchesOf(text)
      .map((stretch) => stretch.text)
      .join(''),
  ).toBe(text)
})
