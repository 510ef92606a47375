import { create } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { PolicyDeltaSchema } from '@parley/contracts/internal'
import fc from 'fast-check'
import { scope, decisionSpec, subject } from '../test/_arbitraries.ts'
import { oracle } from '../test/_oracle.ts'
import { decision, policyOf, type DecisionSpec } from '../test/_policies.ts'
import { permissions, type Permission } from './permissions.ts'
import { applyDelta, type Policy } from './policy.ts'
import { resolve, type Scope, type Subject } from './resolve.ts'

function expectMatchesOracle(policy: Policy, decisions: readonly DecisionSpec[], who: Subject, where: Scope): void {
  const all = (answer: (permission: Permission) => unknown) =>
    permissions.map(({ permission }) => [permission, answer(permission)])
  expect(all((permission) => resolve(policy, who, permission, where))).toEqual(
    all((permission) => oracle(decisions, who, permission, where)),
  )
}

test('resolution agrees with a literal implementation of the rules', () => {
  fc.assert(
    fc.property(fc.array(decisionSpec, { maxLength: 30 }), subject, scope, (decisions, who, where) => {
      expectMatchesOracle(policyOf(...decisions), decisions, who, where)
    }),
    { numRuns: 500 },
  )
})

test('a policy built from deltas agrees with the same rules, and older policies do not change', () => {
  const steps = fc.array(fc.array(decisionSpec, { maxLength: 4 }), { maxLength: 8 })
  fc.assert(
    fc.property(steps, subject, scope, (deltas, who, where) => {
      let policy = policyOf()
      const snapshots = [policy]
      for (const [n, delta] of deltas.entries()) {
        const decisions = delta.map(decision)
        policy = applyDelta(policy, create(PolicyDeltaSchema, { revision: BigInt(n + 2), decisions }))
        snapshots.push(policy)
      }
      for (const [n, snapshot] of snapshots.entries()) {
        expectMatchesOracle(snapshot, deltas.slice(0, n).flat(), who, where)
      }
    }),
  )
})
