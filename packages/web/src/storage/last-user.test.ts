import { expect, test } from '@jest/globals'
import { followSignIns } from './last-user.ts'

test('only the sign-in of somebody else is reported', () => {
  let lastUser: string | null = 'Uann'
  const events = new EventTarget()
  const replaced = {
    localStorage: { getItem: () => lastUser },
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
  }
  for (const [name, value] of Object.entries(replaced))
    Object.defineProperty(globalThis, name, { value, configurable: true })
  let reports = 0
  const reportsAfter = (userId: string | null, key = 'parley.user') => {
    lastUser = userId
    events.dispatchEvent(Object.assign(new Event('storage'), { key }))
    return reports
  }
  const stop = followSignIns('Uann', () => reports++)
  expect([reportsAfter('Uann'), reportsAfter(null), reportsAfter('Ubob', 'parley.draft')]).toEqual([0, 0, 0])
  expect(reportsAfter('Ubob')).toBe(1)
  stop()
  expect(reportsAfter('Ucarl')).toBe(1)
})
