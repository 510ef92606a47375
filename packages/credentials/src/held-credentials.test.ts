import { expect, test } from '@jest/globals'
import { HeldCredentials } from './held-credentials.ts'

const digests = (name: string, previous?: string) => ({
  digest: Buffer.from(name),
  previous: previous === undefined ? undefined : Buffer.from(previous),
})

test('a valid credential is remembered until it is found invalid, under either key', () => {
  const held = new HeldCredentials()
  held.note(Buffer.from('old'), true)
  expect([held.has(digests('new', 'old')), held.has(digests('old')), held.has(digests('other'))]).toEqual([
    ...[true, true, false],
  ])
  held.note(Buffer.from('old'), false)
  expect(held.has(digests('new', 'old'))).toBe(false)
})

test('the least recently used credential is evicted', () => {
  const held = new HeldCredentials(2)
  for (const name of ['a', 'b', 'a', 'c']) held.note(Buffer.from(name), true)
  expect(['a', 'b', 'c'].map((name) => held.has(digests(name)))).toEqual([true, false, true])
})
