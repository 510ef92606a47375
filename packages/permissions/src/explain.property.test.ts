import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { scope, stated, subject } from '../test/_arbitraries.ts'
import { oracle, placesOf, standing, voicesOf } from '../test/_oracle.ts'
import { policyOf } from '../test/_policies.ts'
import { dmPolicyName, explain } from './explain.ts'

const cases = [fc.array(stated, { maxLength: 30 }), subject, scope] as const

test('an explanation tells the outcome that the rules read aloud have', () => {
  fc.assert(
    fc.property(...cases, (decisions, who, where) => {
      for (const { permission, outcome } of explain(policyOf(...decisions), who, where)) {
        expect([permission, outcome]).toEqual([permission, oracle(decisions, who, permission, where)])
      }
    }),
    { numRuns: 500 },
  )
})

test('its trace names every decision that counts, once, and what decided comes first', () => {
  fc.assert(
    fc.property(...cases, (decisions, who, where) => {
      const [places, voices] = [placesOf(where), voicesOf(who)]
      for (const { permission, outcome, trace } of explain(policyOf(...decisions), who, where)) {
        const told = trace
          .filter(({ level }) => level !== undefined)
          .map(({ level, roleName, decision }) => [level, roleName, decision].join(' '))
        const counting = standing(decisions, permission)
          .filter(([holder, , , place]) => voices.includes(holder) && places.includes(place))
          .map(([holder, what, , place]) => {
            const [kind, id] = holder.split(':')
            return [place.split(':')[0], kind === 'user' ? '' : id, what].join(' ')
          })
        expect([permission, told.sort()]).toEqual([permission, counting.sort()])

        expect(trace.map(({ applied }) => applied)).toEqual(trace.map((_, n) => n === 0))
        if (outcome === 'undecided') expect(trace).toEqual([])
        else expect(trace[0]?.decision).toBe(outcome)
        const rules = trace.filter(({ level }) => level === undefined).map(({ roleName }) => roleName)
        expect(['', 'owner', dmPolicyName]).toContain(rules.join())
      }
    }),
    { numRuns: 500 },
  )
})

test('what decided is one of the nearest that say so', () => {
  fc.assert(
    fc.property(...cases, (decisions, who, where) => {
      const places = placesOf(where).map((place) => place.split(':')[0])
      for (const { trace } of explain(policyOf(...decisions), who, where)) {
        const distance = (level: string | undefined) => (level === undefined ? -1 : places.indexOf(level))
        const [first, ...rest] = trace
        for (const { level, decision } of rest)
          if (decision === first?.decision) expect(distance(level)).toBeGreaterThanOrEqual(distance(first.level))
      }
    }),
  )
})
