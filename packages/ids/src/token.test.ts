import { expect, test } from '@jest/globals'
import { idempotencyKeyPattern, newHandle, newToken } from './token.ts'

test.each([
  ['accessToken', 'prl_AT'],
  ['linkPreview', 'prl_LP'],
  ['authorizationCode', 'prl_AC'],
] as const)('a token of kind %s carries the brand %s and 43 base62 digits', (kind, brand) => {
  expect(newToken(kind)).toMatch(new RegExp(`^${brand}[0-9A-Za-z]{43}$`))
  expect(newToken(kind)).not.toBe(newToken(kind))
})

test('a handle is 43 base62 digits without a brand', () => {
  expect(newHandle()).toMatch(/^[0-9A-Za-z]{43}$/)
  expect(newHandle()).not.toBe(newHandle())
})

test('an idempotency key is 1 to 128 visible ASCII characters', () => {
  expect('a'.repeat(128)).toMatch(idempotencyKeyPattern)
  expect('!~:').toMatch(idempotencyKeyPattern)
  for (const bad of ['', 'a'.repeat(129), 'a b', 'é', 'a\n']) expect(bad).not.toMatch(idempotencyKeyPattern)
})
