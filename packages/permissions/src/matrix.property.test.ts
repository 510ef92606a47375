import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { holder, scope, decisionSpec } from '../test/_arbitraries.ts'
import { scopesOf, effectiveDecisions } from '../test/_oracle.ts'
import { policyOf } from '../test/_policies.ts'
import { effectiveAt, inheritedAt, storedAt, storedDecisions, type Decisions, type Holder } from './matrix.ts'
import { permissions, type Permission } from './permissions.ts'

const cases = [fc.array(decisionSpec, { maxLength: 40 }), holder, scope] as const

const parse = (text: string): Holder => {
  const [kind = '', id = ''] = text.split(':')
  return { kind: kind === 'user' ? 'user' : 'role', id }
}

const decisionOf = ({ allowed, denied }: Decisions, permission: Permission): string | undefined =>
  allowed.includes(permission) ? 'allow' : denied.includes(permission) ? 'deny' : undefined

test('cells contain the stored decisions, and the effective and inherited ones of the nearest scope', () => {
  fc.assert(
    fc.property(...cases, (decisions, who, where) => {
      const policy = policyOf(...decisions)
      const here = where.kind === 'dm' ? 'room' : where.kind
      const [stored, effective, inherited] = [storedAt, effectiveAt, inheritedAt].map((read) =>
        read(policy, parse(who), where),
      )
      if (!stored || !effective || !inherited) throw new Error('expected three results')
      const expected = permissions.map(({ permission, scopes }) => {
        const found = effectiveDecisions(decisions, permission).filter(([whose]) => whose === who)
        const at = (scopes: string[]) =>
          scopes.flatMap((scope) => found.filter(([, , , p]) => p === scope).map(([, what]) => what))[0]
        const [scope, ...wider] = scopesOf(where)
        const byRule = who === 'role:owner' ? 'allow' : undefined
        const applies = scopes.some((kind) => kind === here)
        return {
          permission,
          stored: at([scope ?? '']),
          effective: applies ? (byRule ?? at(scopesOf(where))) : undefined,
          inherited: applies ? (byRule ?? at(wider)) : undefined,
        }
      })
      const cells = permissions.map(({ permission }) => ({
        permission,
        stored: decisionOf(stored, permission),
        effective: decisionOf(effective, permission),
        inherited: decisionOf(inherited, permission),
      }))
      expect(cells).toEqual(expected)
    }),
    { numRuns: 500 },
  )
})

test('the list of a holder contains exactly its stored decisions', () => {
  fc.assert(
    fc.property(cases[0], cases[1], (decisions, who) => {
      const listed = storedDecisions(policyOf(...decisions), parse(who)).map(
        ({ permission, scope: { kind, id }, decision }) =>
          [permission, id ? `${kind}:${id}` : kind, decision].join(' '),
      )
      const expectedDecisions = permissions.flatMap(({ permission }) =>
        effectiveDecisions(decisions, permission)
          .filter(([whose]) => whose === who)
          .map(([, what, , scope]) => [permission, scope, what].join(' ')),
      )
      expect([...listed].sort()).toEqual(expectedDecisions.sort())
    }),
  )
})
