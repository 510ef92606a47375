import { describe, expect, test } from '@jest/globals'
import { payloads } from './_payloads.ts'
import { type Piece, piecesOf, plainOf, treeOf } from './tree.ts'

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
    ['\\@ann and ann&commat;', '<p>@ann and ann@</p>'],
  ])('%j is shown as %s', (body, expected) => expect(shown(body)).toBe(expected))

  test('can be shown as plain text in one line', () => expect(plainOf('# A **b**?\n\n- c\n- d')).toBe('A b? c d'))
})

/** Deliberately not imported from the code under test. */
const harmless = new Set([
  ...['p', 'br', 'em', 'strong', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a', 'hr'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
])

const leadsToPages = (href: string): boolean => {
  const page = 'https://chat.example.org/chat/-/R1'
  return !URL.canParse(href, page) || ['http:', 'https:', 'mailto:'].includes(new URL(href, page).protocol)
}

function harmIn(body: string): string[] {
  const found: string[] = []
  const visit = (piece: Piece): void => {
    if (piece.type === 'text') return
    const { href, start, className, ...others } = piece.properties
    if (!harmless.has(piece.tagName)) found.push(piece.tagName)
    if (href !== undefined && (piece.tagName !== 'a' || !leadsToPages(String(href)))) found.push(String(href))
    if (start !== undefined && typeof start !== 'number') found.push(String(start))
    if (className !== undefined && !/^language-/.test(String(className))) found.push(String(className))
    found.push(...Object.keys(others))
    piecesOf(piece).forEach(visit)
  }
  piecesOf(treeOf(body)).forEach(visit)
  return found
}

describe('attack payloads', () => {
  test('render only allowed elements and attributes', () => {
    expect(new Set(payloads).size).toBeGreaterThan(500)
    expect(payloads.flatMap((body) => harmIn(body).map((harm) => ({ body, harm })))).toEqual([])
  })

  test('stay readable as text', () => {
    expect(plainOf('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>')
    expect(plainOf('[a](javascript:alert(1))')).toBe('a')
  })
})
