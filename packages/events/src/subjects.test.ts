import { expect, test } from '@jest/globals'
import { eventSubject, isUnder } from './subjects.ts'

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

test.each([
  ['>', 'evt.room.R1.message_posted', true],
  ['evt.room.>', 'evt.room.R1.message_posted', true],
  ['evt.room.>', 'evt.room', false],
  ['evt.room.>', 'evt.user.U1.user_changed', false],
  ['evt.room.*.message_posted', 'evt.room.R1.message_posted', true],
  ['evt.room.*.message_posted', 'evt.room.R1.room_updated', false],
  ['evt.room.*.message_posted', 'evt.room.R1.message_posted.more', false],
  ['evt.room.*', 'evt.room.R1.message_posted', false],
])('whether %s stands for %s: %s', (filter, subject, expected) => {
  expect(isUnder(filter, subject)).toBe(expected)
})
