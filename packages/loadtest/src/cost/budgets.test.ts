import { expect, test } from '@jest/globals'
import { readBudgets } from './budgets.ts'

test('budgets are read from the page that promises them', () => {
  expect(readBudgets().get('GetViewer')).toBe(3.5)
  expect(readBudgets().get('CreateMessage, 8 in flight')).toBe(8)
})

test('a page without a table of budgets is a mistake', () => {
  expect(() => readBudgets('# Nothing')).toThrow('no table of budgets')
})
