import { expect, test } from '@jest/globals'
import { acceptsEncoding, parseAccepted } from './accepted.ts'

test.each([
  [undefined, false],
  ['', false],
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['deflate ; q=1 , gzip ; q=0.001', true],
  ['gzip;q=0', false],
  ['gzip;q=0.000, br', false],
  ['gzip;q=x', false],
  ['xgzip, gzipx', false],
])('Accept-Encoding %j accepts gzip: %s', (header, accepts) => expect(acceptsEncoding(header, 'gzip')).toBe(accepts))

test('a long run of spaces is parsed in linear time', () => {
  const spaces = ' '.repeat(500_000)
  expect(parseAccepted(`a${spaces}b,gzip${spaces};${spaces}x`)).toEqual([
    { value: `a${spaces}b`, weight: 1 },
    { value: 'gzip', weight: 1 },
  ])
})
