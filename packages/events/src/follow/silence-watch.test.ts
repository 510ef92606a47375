import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { heartbeatMs } from '../keep/readers.ts'
import { silentMs } from './follower.ts'
import { SilenceWatch } from './silence-watch.ts'

let calls: number
let silence: SilenceWatch

beforeEach(() => {
  jest.useFakeTimers()
  calls = 0
  silence = new SilenceWatch({ afterMs: 3_000, againMs: 500, onSilence: () => void calls++ })
  silence.start()
})
afterEach(() => {
  silence[Symbol.dispose]()
  jest.useRealTimers()
})

test('no callback while signs of life arrive often enough', () => {
  for (let n = 0; n < 20; n++) {
    jest.advanceTimersByTime(2_900)
    silence.noteActivity()
  }
  expect(calls).toBe(0)
  expect(silence.silentForMs()).toBe(0)
})

test('callbacks repeat until a sign of life; then the full time must pass again', () => {
  jest.advanceTimersByTime(2_999)
  expect(calls).toBe(0)
  jest.advanceTimersByTime(1_001)
  expect(calls).toBe(3)
  silence.noteActivity()
  jest.advanceTimersByTime(2_999)
  expect(calls).toBe(3)
  jest.advanceTimersByTime(1)
  expect(calls).toBe(4)
})

test('a sign of life after disposal starts nothing', () => {
  silence[Symbol.dispose]()
  silence.noteActivity()
  jest.advanceTimersByTime(60_000)
  expect(calls).toBe(0)
})

test('the silence is measured from the last of many signs of life', () => {
  for (let n = 0; n < 10; n++) {
    jest.advanceTimersByTime(100)
    silence.noteActivity()
  }
  jest.advanceTimersByTime(2_999)
  expect(calls).toBe(0)
  jest.advanceTimersByTime(1)
  expect(calls).toBe(1)
})

test('two heartbeat intervals of a follower take just less than its time limit for silence', () => {
  expect(silentMs - 2 * heartbeatMs).toBeGreaterThan(0)
  expect(silentMs - 2 * heartbeatMs).toBeLessThan(20)
})
