import { expect, test } from '@jest/globals'
import { isClientPath, ownPath } from './own-path.ts'

const origin = 'https://chat.example.org'

test.each(['/', '/chat/-/R1?highlight=E1', '/oauth/authorize?redirect_uri=https%3A%2F%2Fa.example', '/me#x'])(
  '%s is a path of this server',
  (path) => expect(ownPath(path, origin)).toBe(path),
)

test.each([
  ...['https://evil.example', '//evil.example', '/\\evil.example', '/.//evil.example', '/\t/evil.example'],
  ...['javascript:alert(1)', '\\\\evil.example', 'evil.example', '', null, undefined],
])('%j is not a path of this server', (path) => expect(ownPath(path, origin)).toBeUndefined())

test('the start page and the paths of chats are pages of this client; other paths are not', () => {
  expect(['/', '/?x=1', '/chat', '/chat/-/R1'].map(isClientPath)).toEqual([true, true, true, true])
  expect(['/oauth/authorize?x', '/chatter', '/assets/1'].map(isClientPath)).toEqual([false, false, false])
})
