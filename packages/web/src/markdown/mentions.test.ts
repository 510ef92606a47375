import { describe, expect, test } from '@jest/globals'
import type { Element, Root } from 'hast'
import { ignoresMentions, partsOf } from './mentions.ts'
import { piecesOf, treeOf } from './tree.ts'

function mentionedIn(parent: Element | Root): string[] {
  return piecesOf(parent).flatMap((piece) => {
    if (piece.type === 'text') return partsOf(piece.value).flatMap(({ login }) => login ?? [])
    return ignoresMentions(piece) ? [] : mentionedIn(piece)
  })
}

describe('a mention of a user', () => {
  test.each([
    ['hello @ann, and @Bob-2!', ['ann', 'Bob-2']],
    ['@ann.lee. Bye', ['ann.lee']],
    ['(@ann)', ['ann']],
    ['@@ann', ['ann']],
    ['@ann/@bob', ['ann', 'bob']],
    ['e.g. @ann', ['ann']],
    ['**@ann** and ~~@bob~~', ['ann', 'bob']],
    ['# @ann\n- @bob', ['ann', 'bob']],
    ['`code`@ann', ['ann']],
    ['\\\\@ann', ['ann']],
    ['\\@ann @bob \\@cat', ['bob']],
    ['\\@@ann', ['ann']],
    ['@ann\\_lee', ['ann_lee']],
    ['https://x.org/@bob @ann', ['ann']],
    ['[see @ann](http://x y)', ['ann']],
    ['> quoted\n\n@ann', ['ann']],
  ])('is marked in %j', (body, wanted) => expect(mentionedIn(treeOf(body))).toEqual(wanted))

  test.each([
    ['behind a backslash', '\\@ann (\\@ann) \\@ann\\@ann **\\@ann**'],
    ['written as an entity', '&#64;ann &commat;ann &#x40;ann'],
    ['directly behind a letter or digit', 'ann@example.org 1@ann é@ann'],
    ['in an e-mail address', 'ann_@example.org a.b+@example.org'],
    ['in a link', '[see @ann](http://x) [@ann]() [@ann][x]\n\n[x]: /y'],
    ['in a URL', 'https://x.org/@ann http://@ann www.x.org?q=@ann example.org/@ann MAILTO://@ann x.org/a,@ann'],
    ['in code', '`@ann`\n\n    @ann\n\n```\n@ann\n```'],
    ['in a quote', '> @ann\n\n> - @ann'],
    ['if it names everyone', '@all, @here and @Here'],
    ['without a login', 'no mention @ all'],
  ])('is not marked %s', (_, body) => expect(mentionedIn(treeOf(body))).toEqual([]))
})

test('a mention of everyone is recognised in capital and in small letters', () => {
  const called = partsOf('@all, @here and @Here, not x@all').filter(({ everyone }) => everyone)
  expect(called.map(({ text }) => text)).toEqual(['@all', '@here', '@Here'])
})

test('no character of a text is lost', () => {
  const text = 'a @ann b @all @x- @bob x.org/@ann'
  expect(
    partsOf(text)
      .map((part) => part.text)
      .join(''),
  ).toBe(text)
})
