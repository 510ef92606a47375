import { expect, test } from '@jest/globals'
import { ByteBudget } from './held-bytes.ts'

test('a network cannot exceed its limit, nor all networks the total', () => {
  const budget = new ByteBudget({ total: 100, perNetwork: 60 })
  const first = budget.open('one')
  const second = budget.open('one')
  expect([first.take(40), second.take(20), second.take(1), first.take(1)]).toEqual([true, true, false, false])
  const other = budget.open('other')
  expect([other.take(41), other.take(40), budget.open('third').take(1)]).toEqual([false, true, false])
  first.release()
  expect([second.take(40), second.take(1)]).toEqual([true, false])
})

test('bytes are released once, and after that no more can be taken', () => {
  const budget = new ByteBudget({ total: 10, perNetwork: 10 })
  const held = budget.open('one')
  expect(held.take(10)).toBe(true)
  held.release()
  held.release()
  expect(held.take(1)).toBe(false)
  expect([budget.open('one').take(10), budget.open('one').take(1)]).toEqual([true, false])
})
