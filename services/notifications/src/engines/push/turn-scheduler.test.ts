import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { pushPriorities, type PushPriority } from '../../domain/push-priority.ts'
import { TurnScheduler } from './turn-scheduler.ts'

/** The priority that gets each turn; `waiting` has one set of waiting priorities per turn. */
function turns(waiting: Iterable<readonly PushPriority[]>): (PushPriority | undefined)[] {
  const scheduler = new TurnScheduler()
  return Array.from(waiting, (group) => {
    const priority = scheduler.next(new Set(group))
    if (priority) scheduler.recordTurn(priority, new Set(group))
    return priority
  })
}

test.each<[PushPriority[], string]>([
  [['mass', 'soon', 'first'], 'first first soon first mass soon first first soon mass'],
  [['first', 'mass'], 'first first first first mass first first first first mass'],
  [['first', 'soon'], 'first first soon first first soon first first soon first'],
  [['soon', 'mass'], 'soon soon soon soon mass soon soon soon soon mass'],
  [['mass'], 'mass mass mass mass mass mass mass mass mass mass'],
])('while %j wait, the order of turns is: %s', (waiting, expected) => {
  expect(turns(Array.from({ length: 10 }, () => waiting)).join(' ')).toBe(expected)
})

test('there is no turn if no priority waits', () => expect(turns([[], ['soon']])).toEqual([undefined, 'soon']))

test('`first` waits for at most two other turns, `soon` for three and `mass` for four, in any sequence', () => {
  const longest: Record<PushPriority, number> = { first: 2, soon: 3, mass: 4 }
  fc.assert(
    fc.property(fc.array(fc.subarray([...pushPriorities]), { maxLength: 200 }), (waiting) => {
      const passed: Record<PushPriority, number> = { first: 0, soon: 0, mass: 0 }
      const taken = turns(waiting)
      for (const [at, group] of waiting.entries())
        for (const priority of pushPriorities) {
          passed[priority] = group.includes(priority) && taken[at] !== priority ? passed[priority] + 1 : 0
          expect(passed[priority]).toBeLessThanOrEqual(longest[priority])
        }
    }),
  )
})
