import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { scope, decisionSpec, subject } from '../test/_arbitraries.ts'
import { oracle, scopesOf, effectiveDecisions, decisionSources } from '../test/_oracle.ts'
import { policyOf } from '../test/_policies.ts'
import { dmPolicyName, explain } from './explain.ts'

const oneRuleAtMost = new RegExp(`^(|owner|${dmPolicyName})$`)
const cases = [fc.array(decisionSpec, { maxLength: 30 }), subject, scope] as const

test('the outcomes of explanations agree with a literal implementation of the rules', () => {
  fc.assert(
    fc.property(...cases, (decisions, who, where) => {
      const explained = explain(policyOf(...decisions), who, where)
      expect(explained.map(({ permission, outcome }) => [permission, outcome])).toEqual(
        explained.map(({ permission }) => [permission, oracle(decisions, who, permission, where)]),
      )
    }),
    { numRuns: 500 },
  )
})

test('the trace of an explanation lists every applicable decision once, with the deciding one first', () => {
  fc.assert(
    fc.property(...cases, (decisions, who, where) => {
      const [scopes, sources] = [scopesOf(where), decisionSources(who)]
      const explained = explain(policyOf(...decisions), who, where)
      const found = explained.map(({ permission, trace }) => {
        const traced = trace
          .filter(({ level }) => level !== undefined)
          .map(({ level, roleName, decision }) => [level, roleName, decision].join(' '))
        const rules = trace.filter(({ level }) => level === undefined).map(({ roleName }) => roleName)
        const applied = trace.flatMap((step, n) => (step.applied ? [n] : []))
        return { permission, traced: traced.sort(), applied, first: trace[0]?.decision, rule: rules.join() }
      })
      const expected = explained.map(({ permission, outcome, trace }) => {
        const applicable = effectiveDecisions(decisions, permission)
          .filter(([holder, , , scope]) => sources.includes(holder) && scopes.includes(scope))
          .map(([holder, what, , scope]) => {
            const [kind, id] = holder.split(':')
            return [scope.split(':')[0], kind === 'user' ? '' : id, what].join(' ')
          })
        return {
          permission,
          traced: applicable.sort(),
          applied: trace.length > 0 ? [0] : [],
          first: outcome === 'undecided' ? undefined : outcome,
          rule: expect.stringMatching(oneRuleAtMost),
        }
      })
      expect(found).toEqual(expected)
    }),
    { numRuns: 500 },
  )
})

test('no other reason for the same outcome is nearer than the deciding one', () => {
  fc.assert(
    fc.property(...cases, (decisions, who, where) => {
      const scopes = scopesOf(where).map((scope) => scope.split(':')[0])
      const distance = (level: string | undefined) => (level === undefined ? -1 : scopes.indexOf(level))
      const nearer = explain(policyOf(...decisions), who, where).flatMap(({ permission, trace: [first, ...rest] }) =>
        rest
          .filter(({ level, decision }) => decision === first?.decision && distance(level) < distance(first?.level))
          .map(({ level }) => [permission, level]),
      )
      expect(nearer).toEqual([])
    }),
  )
})
