import { expect, test } from '@jest/globals'
import type { PermissionExplanation } from '@parley/client/contract'
import { reasonsOf } from './explanation.ts'

const [allow, deny, none] = [1, 2, 3]
const [nowhere, server, room] = [0, 1, 3]
const explanation = (permission: string, state: number, decidedAt: number, decidedByRole = '') =>
  ({ permission, state, decidedAt, decidedByRole, trace: [] }) as unknown as PermissionExplanation

test('an explanation names the decision and its scope, for permissions in rooms', () => {
  const reasons = reasonsOf([
    explanation('message.react', none, nowhere),
    explanation('server.manage', allow, server, 'admin'),
    explanation('message.post', deny, room, 'everyone'),
    explanation('room.join', deny, server),
    explanation('room.list', allow, nowhere, 'owner'),
  ])
  expect(reasons.map(({ what, allowed, by, role, at }) => [what, allowed, by, role, at])).toEqual([
    ['see', true, 'rule', 'owner', 'none'],
    ['join', false, 'person', '', 'server'],
    ['post', false, 'role', 'everyone', 'room'],
    ['react', false, 'nobody', '', 'none'],
  ])
})
