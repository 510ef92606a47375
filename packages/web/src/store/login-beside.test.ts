import { expect, test } from '@jest/globals'
import { loginBeside } from './login-beside.ts'

test.each([
  [{ login: 'ada', displayName: 'Ada Lovelace' }, 'ada'],
  [{ login: 'ada', displayName: 'ada' }, ''],
  [{ login: 'ada', displayName: '' }, ''],
  [undefined, ''],
])('the login beside the name of %j is "%s"', (user, shown) => expect(loginBeside(user)).toBe(shown))
