import { expect, test } from '@jest/globals'
import { assertEmail, emailKey } from './email.ts'
import { assertPassword } from './password.ts'

test('a password has 8 to 128 bytes', () => {
  expect(() => assertPassword('1234567')).toThrow('8 to 128 bytes')
  expect(() => assertPassword('ä'.repeat(65))).toThrow('8 to 128 bytes')
  expect(() => assertPassword('12345678')).not.toThrow()
  expect(() => assertPassword('ä'.repeat(64))).not.toThrow()
})

test('invalid e-mail addresses are refused; keys of addresses ignore letter case and outer spaces', () => {
  for (const good of ['a@example.org', 'a.b+c@mail.example.org']) expect(() => assertEmail(good)).not.toThrow()
  for (const bad of [
    'a',
    'a@b',
    '@example.org',
    'a b@example.org',
    'a@@example.org',
    '<a@example.org>',
    'a\0@example.org',
  ])
    expect(() => assertEmail(bad)).toThrow('invalid e-mail address')
  expect(emailKey(' Ann@Example.org ')).toBe('ann@example.org')
})

test('an address with a character that Unicode normalizes is refused', () => {
  const kelvin = '\u212Aarl@example.org'
  expect(emailKey(kelvin)).toBe('karl@example.org')
  expect(() => assertEmail(kelvin)).toThrow('invalid e-mail address')
})
