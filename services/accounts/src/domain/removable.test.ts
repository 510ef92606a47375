import { expect, test } from '@jest/globals'
import { isRemovable } from './removable.ts'

const now = new Date('2030-01-31T12:00:00Z')
const day = 24 * 3600_000
const address = (key: string, daysAgo: number) => ({ key, verifiedAt: new Date(now.getTime() - daysAgo * day) })
const [old, week, fresh] = [address('old', 400), address('week', 7), address('fresh', 6.9)]

test.each([
  ['the only one stays', fresh, [fresh], false],
  ['a newer one goes', fresh, [old, fresh], true],
  ['an older one stays while the others are new', old, [old, fresh], false],
  ['an older one goes once another has been there for a week', old, [old, week], true],
  ['nothing else about it', week, [week, fresh], false],
])('%s', (_, which, all, removable) => {
  expect(isRemovable(which, all, now)).toBe(removable)
})
