import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { findHandles, maxHandles, possibleHandles } from './find-handles.ts'

describe('a mention', () => {
  test.each([
    ['hello @Bob, and @ann.lee.', ['bob', 'ann.lee']],
    ['@a-b_c.d @all (@here) "@x"!', ['a-b_c.d', 'all', 'here', 'x']],
    ['@ann @ANN @Ann', ['ann']],
    ['@jürgen', ['jürgen']],
    ['**@ann** and ~@bob~', ['ann', 'bob']],
    ['[see @ann] (http://x)', ['ann']],
    ['[see @ann](http://x y)', ['ann']],
    ['\\[@ann](http://x)', ['ann']],
    ['<https://x.org/@bob> @ann', ['ann']],
    ['@ann/@bob', ['ann', 'bob']],
    ['\\\\@ann', ['ann']],
    ['e.g. @ann', ['ann']],
    ['# @ann\n- @bob\n  1. @cat', ['ann', 'bob', 'cat']],
    ['@ann\\_lee', ['ann_lee']],
    ['@@ann', ['ann']],
    ['`code`@ann', ['ann']],
    ['unpaired ` @ann', ['ann']],
    ['\\`@ann`', ['ann']],
    ['[@ann][x] [@bob]', ['ann', 'bob']],
    ['[@ann][y] @bob\n\n[x]: /a', ['ann', 'bob']],
    ['text\n[@ann]: /a', ['ann']],
    ['\\[@ann]\n\n[@ann]: /a', ['ann']],
    ['[x]: /a\n@ann', ['ann']],
    ['> quoted\n\n@ann', ['ann']],
    ['> ```\n@ann', ['ann']],
    ['```\ncode\n```\n@ann', ['ann']],
    ['text\n    @ann', ['ann']],
    ['- item\n\n  @ann', ['ann']],
  ])('is found in %j', (body, handles) => expect(findHandles(body)).toEqual(handles))

  test.each([
    ['directly after a letter or digit', 'ann@example.org 1@ann é@ann'],
    ['in an e-mail address', 'ann_@example.org a.b+@example.org'],
    ['after a backslash', '\\@ann (\\@ann) \\@ann\\@ann'],
    ['in a link', '[see @ann](http://x) [@ann]() [a](<b c> "@ann") [@a [b] \\] @c](/d "e")'],
    ['in a reference link', '[@ann][x] [@ann][ X ] ![@ann][x] [@ann][]\n\n[x]: /a "b"\n[@ann]: <c d>\n\n[@ann]'],
    ['in a reference link that is defined in a block quote', '[@ann][x]\n\n> [x]: /a'],
    ['in a link reference definition', '[x]: /@ann\n[y]:\n  <a @ann> "@ann"\n[@ann]: /z'],
    ['in the destination of a link', '[see](/@ann) [see](https://x.org/(@ann)) ![alt @ann](x) [![@ann](a)](b)'],
    ['in a web address', 'https://x.org/@ann http://@ann www.x.org?q=@ann example.org/@ann MAILTO://@ann x.org/a,@ann'],
    ['in inline code', '`@ann` ``a ` @ann``'],
    ['in inline code that spans two lines', '`a\n@ann`'],
    ['in a fenced code block', '```\n@ann\n```'],
    ['in a fenced code block with tildes and a language', '~~~ts\n@ann\n``` \n@ann'],
    ['in a fenced code block that is never closed', '````\n@ann\n```\n@ann'],
    ['in a fenced code block in a list item', '- ```\n  @ann\n  ```'],
    ['in indented code', 'text\n\n    @ann\n\t@ann'],
    ['in indented code in a list item', '- text\n\n      @ann'],
    ['in a block quote', '> @ann\n>@ann'],
    ['in a lazy continuation line of a block quote', '> said\n@ann'],
    ['in a list in a block quote', '> - @ann\n>   @ann'],
    ['in a block quote in a list', '- > @ann'],
    ['if no handle follows the "@"', '@ @. @! @'],
  ])('is not found %s', (_, body) => expect(findHandles(body)).toEqual([]))

  test('is found only if it is among the first hundred', () => {
    const body = Array.from({ length: 150 }, (_, n) => `@u${n}`).join(' ')
    expect(findHandles(body)).toEqual(Array.from({ length: maxHandles }, (_, n) => `u${n}`))
  })

  test('is also looked up without its trailing underscores', () => {
    expect(possibleHandles('ann')).toEqual(['ann'])
    expect(possibleHandles('ann__')).toEqual(['ann__', 'ann'])
    expect(possibleHandles('__')).toEqual(['__'])
  })
})

/** The texts of a node outside code, block quotes and links. */
function texts(node: Nodes): string[] {
  if (node.type === 'blockquote' || node.type === 'code' || node.type === 'inlineCode') return []
  if (node.type === 'link' || node.type === 'linkReference' || node.type === 'definition') return []
  if (node.type === 'text') return [node.value]
  return 'children' in node ? node.children.flatMap(texts) : []
}

const mentionsOf = (text: string) => Array.from(text.matchAll(/@(m\d+)/g), ([, handle]) => handle)

test('a full CommonMark parser finds the same mentions', () => {
  const token = fc.constantFrom(
    '@',
    'x',
    ' ',
    ' ',
    '\n',
    '\n',
    '\n\n',
    '> ',
    '- ',
    '1. ',
    '    ',
    '```',
    '`',
    '``',
    '~~~',
    '# ',
    '[',
    '](x)',
    '[a]',
    '\n\n[a]: b\n',
    '\n\n> [a]: b\n',
    '\\',
  )
  const body = fc.array(token, { minLength: 1, maxLength: 14 }).map((tokens) => {
    let next = 0
    return tokens.map((part) => (part === '@' ? ` @m${next++} ` : part)).join('')
  })
  fc.assert(
    fc.property(body, (text) => {
      expect(findHandles(text)).toEqual(texts(fromMarkdown(text)).flatMap(mentionsOf))
    }),
    // The seed is fixed, because the full parser deviates from CommonMark in about one of 10,000 texts.
    { numRuns: 3_000, seed: 7 },
  )
})
