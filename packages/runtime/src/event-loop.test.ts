import { expect, test } from '@jest/globals'
import { EventLoopStalls } from './event-loop.ts'

test('a loop blocked half of the time is reported until it has recovered', () => {
  const stalls = new EventLoopStalls(0)
  let now = 2000
  expect(stalls.record({ now, lateMs: 0, activeMs: 2000 })).toBe(true)
  const recordAfter = (ms: number) => stalls.record({ now: (now += ms), lateMs: ms - 100, activeMs: ms })
  for (let i = 0; i < 4; i++) recordAfter(1100)
  expect(stalls.reason(now)).toBeUndefined()
  recordAfter(1100)
  expect(stalls.reason(now)).toBe('blocked for 5.0 s of the last 10 s')
  expect(stalls.reason(now + 10_000)).toBeUndefined()
})

test('a stall lasts as long as its check was late, regardless of the work before the check was due', () => {
  const stalls = new EventLoopStalls(0)
  stalls.record({ now: 10_400, lateMs: 400, activeMs: 6_000 })
  expect(stalls.reason(10_400)).toBeUndefined()
  stalls.record({ now: 16_000, lateMs: 5_100, activeMs: 5_500 })
  expect(stalls.reason(16_000)).toBe('blocked for 5.5 s of the last 10 s')
})

test('of a stall, only the part within the last ten seconds counts', () => {
  const stalls = new EventLoopStalls(0)
  stalls.record({ now: 19_000, lateMs: 9_000, activeMs: 9_000 })
  stalls.record({ now: 28_100, lateMs: 9_000, activeMs: 9_100 })
  expect(stalls.reason(28_100)).toBe('blocked for 9.9 s of the last 10 s')
  expect(stalls.reason(34_000)).toBeUndefined()
})

test('an idle loop is checked rarely, a busy one often', () => {
  const stalls = new EventLoopStalls(0)
  expect(stalls.record({ now: 2000, lateMs: 0, activeMs: 100 })).toBe(false)
  expect(stalls.record({ now: 4000, lateMs: 0, activeMs: 500 })).toBe(true)
  expect(stalls.record({ now: 4100, lateMs: 0, activeMs: 50 })).toBe(true)
  expect(stalls.record({ now: 4200, lateMs: 0, activeMs: 10 })).toBe(false)
})

test('checks that are slightly late report no stall', () => {
  const stalls = new EventLoopStalls(0)
  for (let now = 400; now < 20_000; now += 400) stalls.record({ now, lateMs: 300, activeMs: 400 })
  expect(stalls.reason(20_000)).toBeUndefined()
})
