import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { internalPath } from './internal-path.ts'

describe('an internal path', () => {
  test.each([
    ...['/', '/rooms', '/chat/-/R1?highlight=E2', '/a/../b', '/a%20b', '/sso/confirm?token=x#top'],
    '/oauth/authorize?redirect_uri=https%3A%2F%2Fapp.example%2Fback&state=%2F%2F',
  ])('%s is accepted unchanged', (path) => {
    expect(internalPath(path)).toBe(path)
  })

  test.each([
    ...[
      '',
      'rooms',
      'https://evil.example',
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\\\evil.example',
    ],
    ...['/\t/evil.example', '/\n/evil.example', '\t//evil.example', ' //evil.example', '/ /evil', '/\u0000', '/\u007f'],
    ...['/.//evil.example', '/a/..//evil.example', '/./\\evil', '/%2e//evil.example', '/a/%2e%2e//evil.example'],
    ...['/%2f/evil.example', '/%2Fevil.example', '/%5cevil.example', '/%252fevil.example', '/%09/evil.example'],
    ...['/%0d%0aSet-Cookie:x=1', '/%', '/%zz', '/é', '/\u2028', '/\uff0f/evil.example', 'javascript:alert(1)'],
    `/${'a'.repeat(2_048)}`,
  ])('%j is refused', (path) => {
    expect(internalPath(path)).toBeUndefined()
  })

  test('that is missing is refused', () => {
    expect(internalPath(undefined)).toBeUndefined()
    expect(internalPath(null)).toBeUndefined()
  })
})

const pieces = fc.oneof(
  fc.constantFrom('/', '\\', '.', '..', '%2f', '%5C', '%2e', '%252f', '%09', '\t', '\n', '\r', '@', ':', '?', '#', ';'),
  fc.constantFrom(
    'evil.example',
    'http:',
    'https:',
    'javascript:',
    'a',
    'redirect=',
    '%00',
    '%',
    ' ',
    '\u3002',
    '\uff0f',
  ),
  fc.string({ maxLength: 3 }),
)
const tricks = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))
const home = 'https://chat.example.org'

test('every accepted path leads a browser to this server, whether raw, resolved or decoded', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        tricks,
        tricks.map((rest) => `/${rest}`),
      ),
      (given) => {
        const path = internalPath(given)
        if (path === undefined) return
        expect(path).toBe(given)
        const origins = [home, `${home}/auth/providers/x/callback`, `${home}/a/b/c/`].flatMap((base) => {
          const target = new URL(path, base)
          // A proxy that forwards only path and query must not turn them into another host, either.
          const hops = [target.pathname + target.search, decodeURIComponent(target.pathname)]
          return [target.origin, ...hops.map((hop) => new URL(hop, base).origin)]
        })
        expect([...new Set(origins)]).toEqual([home])
        expect(path).not.toMatch(/[\x00-\x20\x7f\\]/)
      },
    ),
    { numRuns: 20_000 },
  )
})

test('plain paths are accepted', () => {
  const name = fc.stringMatching(/^[\w-]{1,8}$/)
  fc.assert(
    fc.property(
      fc.array(name, { maxLength: 5 }),
      fc.dictionary(name, fc.string({ maxLength: 9 }), { maxKeys: 3 }),
      (names, query) => {
        const path = `/${names.join('/')}${names.length > 0 ? `?${new URLSearchParams(query).toString()}` : ''}`
        expect(internalPath(path)).toBe(path)
      },
    ),
  )
})
