import fc from 'fast-check'
import { permissions } from '../src/permissions.ts'
import type { Scope, Subject } from '../src/resolve.ts'
import type { DecisionSpec } from './_policies.ts'

const roleIds = ['moderator', 'admin', 'owner', 'O1', 'O2']
const groups = fc.constantFrom('G1', 'G2')
const rooms = fc.constantFrom('R1', 'R2')
const info = fc.constantFrom(...permissions)

export const holder = fc.constantFrom('user:U1', 'user:U2', 'role:everyone', ...roleIds.map((id) => `role:${id}`))

export const decisionSpec: fc.Arbitrary<DecisionSpec> = info.chain(({ permission, scopes }) => {
  const where = fc.constantFrom(...scopes).chain((kind) => {
    if (kind === 'server') return fc.constant('server')
    return (kind === 'group' ? groups : rooms).map((id) => `${kind}:${id}`)
  })
  const what = fc.constantFrom('allow' as const, 'allow' as const, 'deny' as const, 'none' as const)
  return fc.tuple(holder, what, fc.constant(permission), where)
})

export const subject: fc.Arbitrary<Subject> = fc.record({
  userId: fc.constantFrom('U1', 'U2'),
  roleIds: fc.subarray(roleIds),
})

export const scope: fc.Arbitrary<Scope> = fc.oneof(
  fc.constant<Scope>({ kind: 'server' }),
  fc.record({ kind: fc.constant('group' as const), groupId: groups }),
  fc.record({ kind: fc.constant('room' as const), roomId: rooms, groupId: groups }),
  fc.record({ kind: fc.constant('dm' as const), roomId: rooms }),
)
