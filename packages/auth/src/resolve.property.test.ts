import { create } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { PolicyDeltaSchema } from '@parley/contracts/internal'
import fc from 'fast-check'
import { decision, policyOf, type Stated } from '../test/_policies.ts'
import { permissions, type Permission } from './permissions.ts'
import { applyDelta, type Policy } from './policy.ts'
import { resolve, type Outcome, type Scope, type Subject } from './resolve.ts'

/** The rules read aloud, over a plain list: no index, no bits. */
function oracle(decisions: readonly Stated[], subject: Subject, permission: Permission, scope: Scope): Outcome {
  const dm = scope.kind === 'dm'
  if (dm && permission === 'message.post-in-thread') return 'deny'
  if (subject.roleIds.some((id) => id === 'owner')) return 'allow'
  const never = ['room.create', 'room.manage', 'room.ban-member', 'message.manage', 'message.echo']
  if (dm && never.includes(permission)) return 'deny'
  const places = ['server']
  if (scope.kind === 'group' || scope.kind === 'room') places.push(`group:${scope.groupId}`)
  if (scope.kind === 'room' || dm) places.push(`room:${scope.roomId}`)
  const voices = [`user:${subject.userId}`, 'role:everyone', ...subject.roleIds.map((id) => `role:${id}`)]
  const latest = new Map<string, string>()
  for (const [who, what, about, where] of decisions) {
    if (about !== permission || !voices.includes(who) || !places.includes(where)) continue
    latest.set(`${who} ${where}`, what)
  }
  const found = [...latest.values()]
  if (found.includes('deny')) return 'deny'
  if (found.includes('allow')) return 'allow'
  const open = ['room.join', 'message.post', 'message.attach', 'message.react']
  return dm && open.includes(permission) ? 'allow' : 'undecided'
}

const roleIds = ['moderator', 'admin', 'owner', 'O1', 'O2']
const groups = fc.constantFrom('G1', 'G2')
const rooms = fc.constantFrom('R1', 'R2')
const info = fc.constantFrom(...permissions)

const stated: fc.Arbitrary<Stated> = info.chain(({ permission, scopes }) => {
  const where = fc.constantFrom(...scopes).chain((kind) => {
    if (kind === 'server') return fc.constant('server')
    return (kind === 'group' ? groups : rooms).map((id) => `${kind}:${id}`)
  })
  const who = fc.constantFrom('user:U1', 'user:U2', 'role:everyone', ...roleIds.map((id) => `role:${id}`))
  const what = fc.constantFrom('allow' as const, 'allow' as const, 'deny' as const, 'none' as const)
  return fc.tuple(who, what, fc.constant(permission), where)
})

const subject: fc.Arbitrary<Subject> = fc.record({
  userId: fc.constantFrom('U1', 'U2'),
  roleIds: fc.subarray(roleIds),
})

const scope: fc.Arbitrary<Scope> = fc.oneof(
  fc.constant<Scope>({ kind: 'server' }),
  fc.record({ kind: fc.constant('group' as const), groupId: groups }),
  fc.record({ kind: fc.constant('room' as const), roomId: rooms, groupId: groups }),
  fc.record({ kind: fc.constant('dm' as const), roomId: rooms }),
)

function expectAsOracle(policy: Policy, decisions: readonly Stated[], who: Subject, where: Scope): void {
  for (const { permission } of permissions) {
    expect([permission, resolve(policy, who, permission, where)]).toEqual([
      permission,
      oracle(decisions, who, permission, where),
    ])
  }
}

test('resolution agrees with the rules read aloud', () => {
  fc.assert(
    fc.property(fc.array(stated, { maxLength: 30 }), subject, scope, (decisions, who, where) => {
      expectAsOracle(policyOf(...decisions), decisions, who, where)
    }),
    { numRuns: 500 },
  )
})

test('a policy grown by deltas is the policy loaded whole, and older snapshots stay as they were', () => {
  const steps = fc.array(fc.array(stated, { maxLength: 4 }), { maxLength: 8 })
  fc.assert(
    fc.property(steps, subject, scope, (deltas, who, where) => {
      let policy: Policy | undefined = policyOf()
      const snapshots = [policy]
      for (const [n, delta] of deltas.entries()) {
        const decisions = delta.map(decision)
        policy = applyDelta(policy, create(PolicyDeltaSchema, { revision: BigInt(n + 2), decisions }))
        if (!policy) throw new Error('the delta was refused')
        snapshots.push(policy)
      }
      for (const [n, snapshot] of snapshots.entries()) {
        expectAsOracle(snapshot, deltas.slice(0, n).flat(), who, where)
      }
    }),
  )
})
