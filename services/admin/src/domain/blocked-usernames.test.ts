import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { normaliseBlockedUsernames } from './blocked-usernames.ts'

const refused = expect.objectContaining({ code: Code.InvalidArgument })

test('names are trimmed, lower-cased, unique and sorted; blank ones are ignored', () => {
  expect(normaliseBlockedUsernames([' Root ', 'admin', '', '  ', 'ROOT', 'Ärger'])).toEqual(['admin', 'root', 'ärger'])
})

test('a name has at most 32 characters', () => {
  expect(normaliseBlockedUsernames(['x'.repeat(32)])).toHaveLength(1)
  expect(() => normaliseBlockedUsernames(['x'.repeat(33)])).toThrow(refused)
})

test('all names together have at most 10,000 bytes', () => {
  const names = (count: number) => Array.from({ length: count }, (_, n) => `${n}`.padStart(20, 'x'))
  expect(normaliseBlockedUsernames(names(500))).toHaveLength(500)
  expect(() => normaliseBlockedUsernames(names(501))).toThrow(refused)
})
