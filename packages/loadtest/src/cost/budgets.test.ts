import { expect, test } from '@jest/globals'
import { readBudgets } from './budgets.ts'

test('budgets are read from the table in docs/performance.md', () => {
  expect(readBudgets().get('GetViewer')).toBe(3.5)
  expect(readBudgets().get('CreateMessage, 8 in flight')).toBe(8)
})

test('readBudgets throws if the page has no table of budgets', () => {
  expect(() => readBudgets('# Nothing')).toThrow('no table of budgets')
})
