import { expect, test } from '@jest/globals'
import { eventSubject } from './subjects.ts'

test('the subject is built from aggregate and kind', () => {
  const subject = eventSubject({ aggregateType: 'room', aggregateId: 'R1', kind: 'message_posted' })
  expect(subject).toBe('evt.room.R1.message_posted')
})

test.each([
  ['policy', 'policy_changed'],
  ['user', 'roles_changed'],
  ['user', 'credentials_ended'],
  ['user', 'account_deleted'],
] as const)('what changes who may what is on the control feed: %s %s', (aggregateType, kind) => {
  expect(eventSubject({ aggregateType, aggregateId: 'X', kind })).toBe(`evt.control.${aggregateType}.X.${kind}`)
})

test.each(['', 'a.b', 'a b', '*', '>', 'ä', 'x'.repeat(129)])('"%s" cannot be part of a subject', (aggregateId) => {
  expect(() => eventSubject({ aggregateType: 'room', aggregateId, kind: 'room_updated' })).toThrow(RangeError)
})
