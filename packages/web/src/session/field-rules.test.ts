import { expect, test } from '@jest/globals'
import { displayNameRule, emailRule, type FieldRule, loginRule, newPasswordRule, roomNameRule } from './field-rules.ts'

const umlauts = (count: number) => 'ä'.repeat(count)

const rules: [name: string, FieldRule, valid: string[], invalid: string[]][] = [
  ['logins', loginRule, ['ada', 'A2', '1.b_c-d', ' ada ', 'a'.repeat(32)], ['', 'a', 'a.', '.a', 'ü1', 'a b', 'Here']],
  ['long logins', loginRule, [], ['a'.repeat(33)]],
  ['room names', roomNameRule, ['general', 'A_1-', 'a'.repeat(30)], ['', ' ', 'a b', 'größe', 'a'.repeat(31)]],
  [
    'e-mail addresses',
    emailRule,
    ['ada@example.org', ' a+b@x.co '],
    ['', 'ada', 'ada@x', 'a da@example.org', 'a@example.c'],
  ],
  ['long e-mail addresses', emailRule, [], [`${'a'.repeat(250)}@example.org`]],
  ['display names', displayNameRule, ['', ' ', 'Ada', "Zoë O'Neill-Ω 2"], ['-ada', 'a  b', 'a/b', 'a'.repeat(33)]],
  ['passwords', newPasswordRule, ['12345678', umlauts(64)], ['', '1234567', umlauts(7), umlauts(65), 'a'.repeat(129)]],
]

test.each(rules)('the rule for %s accepts valid values and refuses invalid ones', (_, rule, valid, invalid) => {
  expect(valid.filter((value) => rule(value) !== undefined)).toEqual([])
  expect(invalid.filter((value) => rule(value) === undefined)).toEqual([])
})

test('passwords that are too short or too long have different errors', () => {
  expect(['ä'.repeat(7), 'ä'.repeat(65)].map(newPasswordRule)).toEqual(['password.rule', 'password.tooLong'])
})
