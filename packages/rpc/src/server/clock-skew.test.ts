import { describe, expect, test } from '@jest/globals'
import { ClockSkew } from './clock-skew.ts'

/** Ticks every second, as a running process does. */
function runUntil(skew: ClockSkew, from: number, to: number): void {
  for (let now = from; now <= to; now += 1_000) skew.tick(now)
}

test('the age of a call is relative to the fastest call of its sender', () => {
  const skew = new ClockSkew(0)
  expect(skew.age('a', 1_000_000, 100)).toBe(0)
  expect(skew.age('a', 1_000_010, 140)).toBe(30)
  expect(skew.age('a', 1_000_150, 200)).toBe(0)
  expect(skew.age('a', 1_000_160, 240)).toBe(30)
})

test('each sender has its own clock', () => {
  const skew = new ClockSkew(0)
  skew.age('a', 5, 10)
  skew.age('b', -9_000_000, 10)
  expect(skew.age('a', 20, 35)).toBe(10)
  expect(skew.age('b', -8_999_990, 35)).toBe(15)
})

test('a minimum older than a minute is forgotten, so a clock may drift', () => {
  const skew = new ClockSkew(0)
  skew.age('a', 0, 0)
  runUntil(skew, 0, 49_000)
  expect(skew.age('a', 49_000, 49_700)).toBe(700)
  runUntil(skew, 50_000, 69_000)
  expect(skew.age('a', 70_000, 70_700)).toBe(0)
})

test('calls that arrived during a freeze are late, regardless of its length', () => {
  for (const freeze of [6_000, 59_000, 61_000, 3_600_000]) {
    const skew = new ClockSkew(0)
    skew.age('known', 0, 0)
    const now = 1_000 + freeze
    expect(skew.age('known', 2_000, now)).toBe(now - 2_000)
    expect(skew.age('known', 2_001, now)).toBe(now - 2_001)
    expect(skew.age('unknown', 2_000, now)).toBe(Infinity)
    expect(skew.age('known', now, now)).toBe(0)
    expect(skew.age('unknown', now, now)).toBe(0)
  }
})

test('an idle process is not taken for a frozen one', () => {
  const skew = new ClockSkew(0)
  skew.age('a', 0, 0)
  runUntil(skew, 0, 600_000)
  expect(skew.age('b', 7, 600_000)).toBe(0)
  expect(skew.age('a', 600_000, 601_000)).toBe(0)
})

describe('a jump of a clock', () => {
  /** The ages of calls that a sender makes every 250 ms; after the first call its clock is late by `behindMs`. */
  const ages = (behindMs: (n: number) => number): number[] => {
    const skew = new ClockSkew(0)
    skew.age('a', 0, 0)
    return Array.from({ length: 12 }, (_, n) => skew.age('a', (n + 1) * 250 - behindMs(n), (n + 1) * 250))
  }

  test('is detected by calls that are late by the same amount for a second', () => {
    const found = ages((n) => 60_000 + (n % 3))
    expect(found.slice(0, 4).every((age) => age >= 60_000)).toBe(true)
    expect(found.slice(5).every((age) => age <= 2)).toBe(true)
  })

  test('is not assumed if delays grow or vary', () => {
    expect(ages((n) => 600 + n * 120).every((age) => age >= 600)).toBe(true)
    expect(ages((n) => (n % 2 === 0 ? 700 : 1_000)).every((age) => age >= 700)).toBe(true)
  })

  test('is not assumed if some calls arrive in time', () => {
    expect(ages((n) => (n % 4 === 3 ? 0 : 700)).filter((age) => age >= 700)).toHaveLength(9)
  })

  test('is not assumed for calls that are received together after a freeze', () => {
    const skew = new ClockSkew(0)
    skew.age('a', 0, 0)
    const waited = Array.from({ length: 50 }, (_, n) => skew.age('a', 1_000 + n, 10_000))
    expect(Math.min(...waited)).toBe(10_000 - 1_049)
  })
})
