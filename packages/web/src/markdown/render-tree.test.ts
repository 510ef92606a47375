import { expect, test } from '@jest/globals'
import { isStatic } from './render-tree.ts'
import { treeOf } from './tree.ts'

test.each([
  ['plain words', true],
  ['**bold**, `code`, https://example.org/@ann and\n\n1. a list', true],
  ['> said @ann', true],
  ['```\nno language\n```', true],
  ['well, @ann', false],
  ['1. a list for @all', false],
  ['```js\nlet a\n```', false],
])('whether the rendering of %j never changes: %s', (body, expected) =>
  expect(isStatic(treeOf(body), true)).toBe(expected),
)

test('the rendering of a message with a mention never changes where nobody can be mentioned', () =>
  expect(isStatic(treeOf('well, @ann'), false)).toBe(true))
