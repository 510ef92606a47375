import { expect, test } from '@jest/globals'
import { readBudgets } from './budgets.ts'

test('budgets are read from the table in docs/performance.md', () => {
  expect(readBudgets().get('GetViewer')).toBe(3.5)
  expect(readBudgets().get('CreateMessage, 8 in flight')).toBe(8)
})

test('a page without a table of budgets is an error', () => {
  expect(() => readBudgets('# Nothing')).toThrow('no table of budgets')
})
