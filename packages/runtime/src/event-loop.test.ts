import { expect, test } from '@jest/globals'
import { EventLoopStalls } from './event-loop.ts'

test('a loop that is blocked half of the time is reported until it has recovered', () => {
  const stalls = new EventLoopStalls(0)
  let now = 0
  const tickAfter = (ms: number) => {
    now += ms
    stalls.tick(now)
  }
  for (let i = 0; i < 4; i++) tickAfter(1100)
  expect(stalls.reason(now)).toBeUndefined()
  tickAfter(1100)
  expect(stalls.reason(now)).toBe('blocked for 5.0 s of the last 10 s')
  expect(stalls.reason(now + 10_000)).toBeUndefined()
})

test('ticks that are a little late are no stalls', () => {
  const stalls = new EventLoopStalls(0)
  for (let now = 0; now < 20_000; now += 400) stalls.tick(now)
  expect(stalls.reason(20_000)).toBeUndefined()
})
