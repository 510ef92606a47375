import { expect, test } from '@jest/globals'
import { aggregateOf, covers, eventSubject } from './subjects.ts'

test('the subject is built from aggregate and kind', () => {
  const subject = eventSubject({ aggregateType: 'room', aggregateId: 'R1', kind: 'message_posted' })
  expect(subject).toBe('evt.room.R1.message_posted')
})

test('a filter for a kind does not cover subjects with a detail; a filter for the aggregate type does', () => {
  const subject = eventSubject({ aggregateType: 'room', aggregateId: 'R1', kind: 'message_posted', detail: 'text' })
  expect(subject).toBe('evt.room.R1.message_posted.text')
  expect(covers('evt.room.*.message_posted', subject)).toBe(false)
  expect(covers('evt.room.>', subject)).toBe(true)
})

test.each([
  ['policy', 'policy_changed'],
  ['user', 'roles_changed'],
  ['user', 'credentials_ended'],
  ['user', 'account_deleted'],
] as const)('events that change permissions or end access are on the control feed: %s %s', (aggregateType, kind) => {
  expect(eventSubject({ aggregateType, aggregateId: 'X', kind })).toBe(`evt.control.${aggregateType}.X.${kind}`)
})

test.each(['', 'a.b', 'a b', '*', '>', 'ä', 'x'.repeat(129)])('"%s" cannot be part of a subject', (aggregateId) => {
  expect(() => eventSubject({ aggregateType: 'room', aggregateId, kind: 'room_updated' })).toThrow(RangeError)
})

test.each([
  ['evt.>', 'evt.room.R1.room_updated', true],
  ['evt.room.*.room_updated', 'evt.room.R1.room_updated', true],
  ['evt.room.*.*', 'evt.room.R1.room_updated', true],
  ['evt.room.*', 'evt.room.R1.room_updated', false],
  ['evt.room.R1.room_updated.>', 'evt.room.R1.room_updated', false],
  ['evt.user.>', 'evt.room.R1.room_updated', false],
])('covers(%s, %s) is %s', (filter, subject, covered) => {
  expect(covers(filter, subject)).toBe(covered)
})

test('aggregateOf ignores the kind and the detail of a subject', () => {
  const subjects = ['message_posted.text', 'message_posted', 'message_edited'].map((kind) => `evt.room.R1.${kind}`)
  expect(new Set(subjects.map(aggregateOf))).toEqual(new Set(['evt.room.R1']))
  expect(aggregateOf('evt.control.user.U1.roles_changed')).toBe('evt.control.user.U1')
})
