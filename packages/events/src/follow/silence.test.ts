import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { heartbeatMs } from '../keep/readers.ts'
import { silentMs } from './follower.ts'
import { Silence } from './silence.ts'

let calls: number
let silence: Silence

beforeEach(() => {
  jest.useFakeTimers()
  calls = 0
  silence = new Silence({ afterMs: 3_000, againMs: 500, onSilence: () => void calls++ })
  silence.start()
})
afterEach(() => {
  silence[Symbol.dispose]()
  jest.useRealTimers()
})

test('does not call back while signs of life arrive often enough', () => {
  for (let n = 0; n < 20; n++) {
    jest.advanceTimersByTime(2_900)
    silence.noteActivity()
  }
  expect(calls).toBe(0)
  expect(silence.agoMs()).toBe(0)
})

test('calls back repeatedly until there is a sign, then waits as long as before', () => {
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

test('stops when disposed, even if signs arrive later', () => {
  silence[Symbol.dispose]()
  silence.noteActivity()
  jest.advanceTimersByTime(60_000)
  expect(calls).toBe(0)
})

test('counts from the last of many signs of life', () => {
  for (let n = 0; n < 10; n++) {
    jest.advanceTimersByTime(100)
    silence.noteActivity()
  }
  jest.advanceTimersByTime(2_999)
  expect(calls).toBe(0)
  jest.advanceTimersByTime(1)
  expect(calls).toBe(1)
})

test('two heartbeats of a follower come just before its silence, when its timer wakes the process anyway', () => {
  expect(silentMs - 2 * heartbeatMs).toBeGreaterThan(0)
  expect(silentMs - 2 * heartbeatMs).toBeLessThan(20)
})
