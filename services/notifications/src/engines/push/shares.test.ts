import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { pushPriorities, type PushPriority } from '../../domain/push-priority.ts'
import { Shares } from './shares.ts'

/** The priorities that get turns while the given ones wait, one set per turn. */
function turns(waiting: Iterable<readonly PushPriority[]>): (PushPriority | undefined)[] {
  const shares = new Shares()
  return Array.from(waiting, (those) => {
    const priority = shares.next(new Set(those))
    if (priority) shares.took(priority, new Set(those))
    return priority
  })
}

test.each<[PushPriority[], string]>([
  [['mass', 'soon', 'first'], 'first first soon first mass soon first first soon mass'],
  [['first', 'mass'], 'first first first first mass first first first first mass'],
  [['first', 'soon'], 'first first soon first first soon first first soon first'],
  [['soon', 'mass'], 'soon soon soon soon mass soon soon soon soon mass'],
  [['mass'], 'mass mass mass mass mass mass mass mass mass mass'],
])('the order of turns while %j wait', (waiting, expected) => {
  expect(turns(Array.from({ length: 10 }, () => waiting)).join(' ')).toBe(expected)
})

test('no priority gets a turn if none waits', () => expect(turns([[], ['soon']])).toEqual([undefined, 'soon']))

test('first waits for at most two other turns and mass for at most four, in any sequence', () => {
  const longest: Record<PushPriority, number> = { first: 2, soon: 3, mass: 4 }
  fc.assert(
    fc.property(fc.array(fc.subarray([...pushPriorities]), { maxLength: 200 }), (waiting) => {
      const passed: Record<PushPriority, number> = { first: 0, soon: 0, mass: 0 }
      const taken = turns(waiting)
      for (const [at, those] of waiting.entries())
        for (const priority of pushPriorities) {
          passed[priority] = those.includes(priority) && taken[at] !== priority ? passed[priority] + 1 : 0
          expect(passed[priority]).toBeLessThanOrEqual(longest[priority])
        }
    }),
  )
})
