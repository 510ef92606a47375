import { expect, test } from '@jest/globals'
import type { PermissionExplanation } from '@parley/client/contract'
import { answerOf, reasonsOf, type Reason } from './explanation.ts'

const [allow, deny, none] = [1, 2, 3]
const [noLevel, server, room] = [0, 1, 3]
const explanation = (permission: string, state: number, decidedAt: number, decidedByRole = '') =>
  ({ permission, state, decidedAt, decidedByRole, trace: [] }) as unknown as PermissionExplanation

test('for permissions in rooms, reasons name the decision and its level, in display order', () => {
  const reasons = reasonsOf([
    explanation('message.react', none, noLevel),
    explanation('server.manage', allow, server, 'admin'),
    explanation('message.post', deny, room, 'everyone'),
    explanation('room.join', deny, server),
    explanation('room.list', allow, noLevel, 'owner'),
  ])
  expect(reasons.map(({ what, allowed, by, role, at }) => [what, allowed, by, role, at])).toEqual([
    ['see', true, 'rule', 'owner', 'none'],
    ['join', false, 'person', '', 'server'],
    ['post', false, 'role', 'everyone', 'room'],
    ['react', false, 'nobody', '', 'none'],
  ])
})

test.each([
  ['post', true, true, 'yes'],
  ['post', true, false, 'asMember'],
  ['react', true, undefined, 'asMember'],
  ['post', false, false, 'no'],
  ['join', true, false, 'yes'],
  ['see', true, undefined, 'yes'],
] as const)('the answer for %s with allowed %s and membership %s is %s', (what, allowed, isMember, answer) => {
  const reason: Reason = { what, allowed, by: 'nobody', role: '', at: 'none' }
  expect(answerOf(reason, isMember)).toBe(answer)
})
