import { expect, test } from '@jest/globals'
import { FrameBudget } from './frame-budget.ts'

const countAccepted = (budget: FrameBudget, count: number, bytes: number, now: number): number =>
  Array.from({ length: count }, () => budget.take(bytes, now)).filter(Boolean).length

test('60 frames are accepted at once, then 20 per second', () => {
  const budget = new FrameBudget(0)
  expect(countAccepted(budget, 60, 10, 0)).toBe(60)
  for (let second = 1; second <= 5; second++) expect(countAccepted(budget, 20, 10, second * 1000)).toBe(20)
  expect(budget.take(10, 5000)).toBe(false)
})

test('512 KiB are accepted at once, then 256 KiB per second', () => {
  const budget = new FrameBudget(0)
  expect(countAccepted(budget, 8, 65_536, 0)).toBe(8)
  for (let second = 1; second <= 5; second++) expect(countAccepted(budget, 4, 65_536, second * 1000)).toBe(4)
  expect(budget.take(65_536, 5000)).toBe(false)
})

test('a quiet client accumulates at most one burst', () => {
  const budget = new FrameBudget(0)
  expect(countAccepted(budget, 61, 10, 86_400_000)).toBe(60)
})
