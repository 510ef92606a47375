import { expect, test } from '@jest/globals'
import { nextVersion } from './versions.ts'

test('versions follow the clock, and increase by one while it stands still or goes back', () => {
  const at = new Date('2020-01-01T00:00:00Z')
  const first = nextVersion(1n, at)
  expect(first).toBe(1_577_836_800_000_000n)
  expect(nextVersion(first, at)).toBe(first + 1n)
  expect(nextVersion(first, new Date(0))).toBe(first + 1n)
  expect(nextVersion(first, new Date(at.getTime() + 1))).toBe(first + 1000n)
})
