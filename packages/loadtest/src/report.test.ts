import { expect, test } from '@jest/globals'
import { Report } from './report.ts'

test('a figure exceeds its budget when it is more than a third above it', () => {
  const report = new Report()
  report.note('just', 4, 'ms', { floor: 1, budget: 3 })
  report.note('above', 4.1, 'ms', { floor: 1, budget: 3 })
  report.note('free', 400, 'ms', { floor: 1 })
  expect(report.exceeded()).toEqual([{ name: 'above', value: 4.1, unit: 'ms', floor: 1, ratio: 4.1, budget: 3 }])
})
