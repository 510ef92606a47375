import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { KeyedThrottle } from './keyed-throttle.ts'

let told: string[]
let throttle: KeyedThrottle
const say = (thing: string, what: string) => throttle.offer(thing, () => void told.push(what))

beforeEach(() => {
  jest.useFakeTimers()
  told = []
  throttle = new KeyedThrottle(2_000)
})
afterEach(() => {
  throttle[Symbol.dispose]()
  jest.useRealTimers()
})

test('the first message is sent at once, and of later ones the newest at the end of the window', () => {
  for (let n = 1; n <= 200; n++) say('Uann profile', `ann ${n}`)
  expect(told).toEqual(['ann 1'])
  jest.advanceTimersByTime(2_000)
  expect(told).toEqual(['ann 1', 'ann 200'])
  jest.advanceTimersByTime(60_000)
  expect(told).toHaveLength(2)
})

test('constant changes are sent once per window', () => {
  for (let n = 0; n < 100; n++) {
    say('Uann profile', `${n}`)
    jest.advanceTimersByTime(100)
  }
  expect(told.length).toBeGreaterThanOrEqual(5)
  expect(told.length).toBeLessThanOrEqual(6)
  jest.advanceTimersByTime(2_000)
  expect(told.at(-1)).toBe('99')
})

test('things do not wait for each other', () => {
  say('Uann profile', 'ann 1')
  jest.advanceTimersByTime(1_500)
  say('Ubob profile', 'bob 1')
  say('Ubob profile', 'bob 2')
  say('Uann profile', 'ann 2')
  say('Uann status', 'ann away')
  expect(told).toEqual(['ann 1', 'bob 1', 'ann away'])
  jest.advanceTimersByTime(500)
  expect(told.slice(3)).toEqual(['ann 2'])
  jest.advanceTimersByTime(1_500)
  expect(told.slice(4)).toEqual(['bob 2'])
})

test('a forgotten message is not sent', () => {
  say('Uann profile', 'ann 1')
  say('Uann profile', 'ann 2')
  throttle.forget('Uann profile')
  jest.advanceTimersByTime(10_000)
  expect(told).toEqual(['ann 1'])
  say('Uann profile', 'ann 3')
  expect(told).toEqual(['ann 1', 'ann 3'])
})
