import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { KeyedThrottle } from './keyed-throttle.ts'

let sent: string[]
let throttle: KeyedThrottle
const offer = (key: string, text: string) => throttle.offer(key, () => void sent.push(text))

beforeEach(() => {
  jest.useFakeTimers()
  sent = []
  throttle = new KeyedThrottle(2_000)
})
afterEach(() => {
  throttle[Symbol.dispose]()
  jest.useRealTimers()
})

test('of many messages in a window, the first is sent at once, and the last at the end', () => {
  for (let n = 1; n <= 200; n++) offer('Uann profile', `ann ${n}`)
  expect(sent).toEqual(['ann 1'])
  jest.advanceTimersByTime(2_000)
  expect(sent).toEqual(['ann 1', 'ann 200'])
  jest.advanceTimersByTime(60_000)
  expect(sent).toHaveLength(2)
})

test('of messages without a pause, one is sent per window', () => {
  for (let n = 0; n < 100; n++) {
    offer('Uann profile', `${n}`)
    jest.advanceTimersByTime(100)
  }
  expect(sent.length).toBeGreaterThanOrEqual(5)
  expect(sent.length).toBeLessThanOrEqual(6)
  jest.advanceTimersByTime(2_000)
  expect(sent.at(-1)).toBe('99')
})

test('keys do not wait for each other', () => {
  offer('Uann profile', 'ann 1')
  jest.advanceTimersByTime(1_500)
  offer('Ubob profile', 'bob 1')
  offer('Ubob profile', 'bob 2')
  offer('Uann profile', 'ann 2')
  offer('Uann status', 'ann away')
  expect(sent).toEqual(['ann 1', 'bob 1', 'ann away'])
  jest.advanceTimersByTime(500)
  expect(sent.slice(3)).toEqual(['ann 2'])
  jest.advanceTimersByTime(1_500)
  expect(sent.slice(4)).toEqual(['bob 2'])
})

test('a waiting message is not sent after its key is forgotten', () => {
  offer('Uann profile', 'ann 1')
  offer('Uann profile', 'ann 2')
  throttle.forget('Uann profile')
  jest.advanceTimersByTime(10_000)
  expect(sent).toEqual(['ann 1'])
  offer('Uann profile', 'ann 3')
  expect(sent).toEqual(['ann 1', 'ann 3'])
})
