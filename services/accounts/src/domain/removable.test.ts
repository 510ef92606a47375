import { expect, test } from '@jest/globals'
import { isRemovable } from './removable.ts'

const now = new Date('2030-01-31T12:00:00Z')
const day = 24 * 3600_000
const address = (key: string, daysAgo: number) => ({ key, verifiedAt: new Date(now.getTime() - daysAgo * day) })
const [old, week, fresh] = [address('old', 400), address('week', 7), address('fresh', 6.9)]

test.each([
  ['the only address cannot be removed', fresh, [fresh], false],
  ['a newer address can be removed while an older one remains', fresh, [old, fresh], true],
  ['an older address cannot be removed while the others are new', old, [old, fresh], false],
  ['an older address can be removed once another is a week old', old, [old, week], true],
  ['an address cannot be removed if only a later one, younger than a week, remains', week, [week, fresh], false],
])('%s', (_, which, all, removable) => {
  expect(isRemovable(which, all, now)).toBe(removable)
})
