import { expect, test } from '@jest/globals'
import { RememberedCredentials } from './remembered-credentials.ts'

const digests = (name: string, previous?: string) => ({
  digest: Buffer.from(name),
  previous: previous === undefined ? undefined : Buffer.from(previous),
})

test('a valid credential is remembered until it is found invalid, under either key', () => {
  const remembered = new RememberedCredentials()
  remembered.record(Buffer.from('old'), true)
  expect([
    remembered.has(digests('new', 'old')),
    remembered.has(digests('old')),
    remembered.has(digests('other')),
  ]).toEqual([...[true, true, false]])
  remembered.record(Buffer.from('old'), false)
  expect(remembered.has(digests('new', 'old'))).toBe(false)
})

test('the least recently used credential is evicted', () => {
  const remembered = new RememberedCredentials(2)
  for (const name of ['a', 'b', 'a', 'c']) remembered.record(Buffer.from(name), true)
  expect(['a', 'b', 'c'].map((name) => remembered.has(digests(name)))).toEqual([true, false, true])
})
