import { expect, test } from '@jest/globals'
import { EventLoopStalls } from './event-loop.ts'

test('a loop blocked half of the time is reported until it has recovered', () => {
  const stalls = new EventLoopStalls(0)
  let now = 2000
  expect(stalls.look({ now, lateMs: 0, activeMs: 2000 })).toBe(true)
  const lookAfter = (ms: number) => stalls.look({ now: (now += ms), lateMs: ms - 100, activeMs: ms })
  for (let i = 0; i < 4; i++) lookAfter(1100)
  expect(stalls.reason(now)).toBeUndefined()
  lookAfter(1100)
  expect(stalls.reason(now)).toBe('blocked for 5.0 s of the last 10 s')
  expect(stalls.reason(now + 10_000)).toBeUndefined()
})

test('one long stall of an idle loop counts in full, although it began before the check was due', () => {
  const stalls = new EventLoopStalls(0)
  stalls.look({ now: 5_400, lateMs: 3_400, activeMs: 5_200 })
  expect(stalls.reason(5_400)).toBe('blocked for 5.2 s of the last 10 s')
})

test('an idle loop is checked rarely, a busy one often', () => {
  const stalls = new EventLoopStalls(0)
  expect(stalls.look({ now: 2000, lateMs: 0, activeMs: 100 })).toBe(false)
  expect(stalls.look({ now: 4000, lateMs: 0, activeMs: 500 })).toBe(true)
  expect(stalls.look({ now: 4100, lateMs: 0, activeMs: 50 })).toBe(true)
  expect(stalls.look({ now: 4200, lateMs: 0, activeMs: 10 })).toBe(false)
})

test('checks that are slightly late report no stall', () => {
  const stalls = new EventLoopStalls(0)
  for (let now = 400; now < 20_000; now += 400) stalls.look({ now, lateMs: 300, activeMs: 400 })
  expect(stalls.reason(20_000)).toBeUndefined()
})
