import { describe, expect, test } from '@jest/globals'
import { type Piece, piecesOf, plainOf, treeOf } from './tree.ts'

/** The tree as markup would write it, for reading only. */
const written = (piece: Piece): string => {
  if (piece.type === 'text') return piece.value
  const attributes = Object.entries(piece.properties).map(([name, value]) => ` ${name}=${String(value)}`)
  return `<${piece.tagName}${attributes.join('')}>${piecesOf(piece).map(written).join('')}</${piece.tagName}>`
}
const shown = (body: string) => piecesOf(treeOf(body)).map(written).join('')

describe('a message', () => {
  test.each([
    ['**bold** and _soft_ and ~~gone~~', '<p><strong>bold</strong> and <em>soft</em> and <del>gone</del></p>'],
    ['one\ntwo', '<p>one\ntwo</p>'],
    ['**a**\n**b**', '<p><strong>a</strong>\n<strong>b</strong></p>'],
    ['- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['> said\n\nanswer', '<blockquote><p>said</p></blockquote><p>answer</p>'],
    ['see https://example.org/a', '<p>see <a href=https://example.org/a>https://example.org/a</a></p>'],
    ['```js\nlet a\n```', '<pre><code className=language-js>let a\n</code></pre>'],
    ['1 < 2 && 3 > 2', '<p>1 < 2 && 3 > 2</p>'],
  ])('%j is shown as %s', (body, expected) => expect(shown(body)).toBe(expected))

  test('in one line has no form', () => expect(plainOf('# A **b**?\n\n- c\n- d')).toBe('A b? c d'))
})

describe('nothing that could do harm is made of', () => {
  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](data:text/html,<script>alert(1)</script>)',
    '[a](vbscript:x)',
    '![a](https://example.org/pixel.png)',
    '<a href="javascript:alert(1)">a</a>',
    '<javascript:alert(1)>',
    '[a]: javascript:alert(1)\n\n[a]',
    '<iframe src="//example.org">',
    '<style>*{display:none}</style>',
  ])('%j', (body) => {
    const unsafe: string[] = []
    const look = (piece: Piece) => {
      if (piece.type === 'text') return
      const { href, ...others } = piece.properties
      if (/^(script|img|iframe|style|object|svg|form)$/.test(piece.tagName)) unsafe.push(piece.tagName)
      if (href !== undefined && !/^(https?:|mailto:)/.test(String(href))) unsafe.push(String(href))
      unsafe.push(...Object.keys(others).filter((name) => !['className', 'start'].includes(name)))
      piecesOf(piece).forEach(look)
    }
    piecesOf(treeOf(body)).forEach(look)
    expect(unsafe).toEqual([])
  })
})
