import { describe, expect, test } from '@jest/globals'
import { Admission } from './admission.ts'

const admitMany = (admission: Admission, count: number, now: number) =>
  Array.from({ length: count }, () => admission.admitOrDelay(now))

describe('a node', () => {
  test('admits sockets at its rate, in bursts of two seconds', () => {
    const admission = new Admission(100, 0)
    expect(admitMany(admission, 200, 0).every((one) => one === undefined)).toBe(true)
    expect(admission.admitOrDelay(0)).toBeDefined()
    expect(admitMany(admission, 50, 500).every((one) => one === undefined)).toBe(true)
    expect(admission.admitOrDelay(500)).toBeDefined()
  })

  test('spreads refused sockets over twice the time it needs for them', () => {
    const admission = new Admission(100, 0)
    admitMany(admission, 200, 0)
    const delays = admitMany(admission, 1_000, 0).map((delay) => delay ?? 0)
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(1_000)
    expect(Math.max(...delays.slice(0, 100))).toBeLessThanOrEqual(4_000)
    expect(Math.max(...delays)).toBeGreaterThan(10_000)
    expect(Math.max(...delays)).toBeLessThanOrEqual(22_000)
    // By then the refused sockets have returned.
    admitMany(admission, 200, 60_000)
    expect(admission.admitOrDelay(60_000)).toBeLessThanOrEqual(2_100)
  })

  test('delays nobody by more than 31 seconds', () => {
    const delays = admitMany(new Admission(100, 0), 100_000, 0).map((delay) => delay ?? 0)
    expect(Math.max(...delays)).toBeGreaterThan(25_000)
    expect(Math.max(...delays)).toBeLessThanOrEqual(31_000)
  })

  test('without a limit admits everybody', () => {
    const admission = new Admission(0, 0)
    expect(admitMany(admission, 10_000, 0).every((one) => one === undefined)).toBe(true)
  })
})
