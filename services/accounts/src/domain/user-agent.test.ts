import { expect, test } from '@jest/globals'
import { readableUserAgent } from './user-agent.ts'

test('a user agent is stored as at most 200 printable characters of ASCII', () => {
  expect(readableUserAgent('Browser/1.0 (X11; Linux)')).toBe('Browser/1.0 (X11; Linux)')
  expect(readableUserAgent('a\u0000b\u202Ec\nd')).toBe('abcd')
  expect(readableUserAgent('x'.repeat(1_000))).toBe('x'.repeat(200))
})
