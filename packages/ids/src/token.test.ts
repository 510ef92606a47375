import { expect, test } from '@jest/globals'
import { newHandle, newToken } from './token.ts'

test.each([
  ['accessToken', 'prl_AT'],
  ['linkPreview', 'prl_LP'],
  ['authorizationCode', 'prl_AC'],
] as const)('a token of kind %s consists of the prefix %s and 43 base62 digits', (kind, prefix) => {
  expect(newToken(kind)).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{43}$`))
  expect(newToken(kind)).not.toBe(newToken(kind))
})

test('a handle is 43 base62 digits without a prefix', () => {
  expect(newHandle()).toMatch(/^[0-9A-Za-z]{43}$/)
  expect(newHandle()).not.toBe(newHandle())
})
