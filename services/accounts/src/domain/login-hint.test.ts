import { expect, test } from '@jest/globals'
import { loginHintFrom } from './login-hint.ts'

test.each([
  ['ann', 'ann'],
  ['Ann.Lee_2-x', 'Ann.Lee_2-x'],
  ['ann@example.org', 'ann'],
  ['Jürgen Groß', 'JurgenGro'],
  ['__ann', 'ann'],
  ['ann..lee', 'ann.lee'],
  ['ann.', 'ann'],
  ['a'.repeat(40), 'a'.repeat(32)],
  [`${'a'.repeat(31)}.b`, 'a'.repeat(31)],
  ['安', ''],
  ['a', ''],
  ['', ''],
])('the user name %j suggests the login %j', (name, hint) => {
  expect(loginHintFrom(name)).toBe(hint)
})
