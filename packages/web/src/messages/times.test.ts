import { expect, test } from '@jest/globals'
import { lately } from './times.ts'

test('a moment of another day is told with its date', () => {
  const [now, before] = [new Date(), new Date()]
  before.setDate(before.getDate() - 1)
  expect(lately(now)).toMatch(/^\d+:\d+( [AP]M)?$/)
  expect(lately(before)).toMatch(new RegExp(`${before.getFullYear()}.*\\d+:\\d+`))
})
