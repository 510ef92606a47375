import { expect, test } from '@jest/globals'
import { EventLoopStalls } from './event-loop.ts'

test('a loop that is blocked half of the time is reported until it has recovered', () => {
  const stalls = new EventLoopStalls(0)
  let now = 0
  const tickAfter = (ms: number) => {
    now += ms
    return stalls.tick(now, ms)
  }
  expect(tickAfter(2000)).toBe(100)
  for (let i = 0; i < 4; i++) tickAfter(1100)
  expect(stalls.reason(now)).toBeUndefined()
  tickAfter(1100)
  expect(stalls.reason(now)).toBe('blocked for 5.0 s of the last 10 s')
  expect(stalls.reason(now + 10_000)).toBeUndefined()
})

test('one long stall of an idle loop counts in full, although it began before its tick was due', () => {
  const stalls = new EventLoopStalls(0)
  stalls.tick(5_400, 5_200)
  expect(stalls.reason(5_400)).toBe('blocked for 5.2 s of the last 10 s')
})

test('an idle loop is looked at rarely, a busy one often', () => {
  const stalls = new EventLoopStalls(0)
  expect(stalls.tick(2000, 100)).toBe(2000)
  expect(stalls.tick(4000, 500)).toBe(100)
  expect(stalls.tick(4100, 50)).toBe(100)
  expect(stalls.tick(4200, 10)).toBe(2000)
})

test('ticks that are a little late are no stalls', () => {
  const stalls = new EventLoopStalls(0)
  for (let now = 0, next = 2000; now < 20_000;) {
    now += next + 300
    next = stalls.tick(now, next)
  }
  expect(stalls.reason(20_000)).toBeUndefined()
})
