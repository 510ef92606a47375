import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { inWorkspace } from '../steps.mjs'

const { groups, metrics } = parse(readFileSync(inWorkspace('helm/parley/files/scaling.yaml'), 'utf8'))

export const queryOf = (name) => metrics[name].query

/** All times are divided by `faster`. */
export function scalingOf(deployable, faster = 1) {
  const group = Object.values(groups).find(({ deployables }) => deployables.includes(deployable))
  const behavior = Object.fromEntries(
    Object.entries(group.behavior).map(([direction, rules]) => [direction, speedUp(rules, faster)]),
  )
  return { targets: group.targets, behavior }
}

const speedUp = ({ stabilizationWindowSeconds, policies, ...rules }, faster) => ({
  ...rules,
  stabilizationWindowSeconds: stabilizationWindowSeconds / faster,
  policies: policies.map((policy) => ({ ...policy, periodSeconds: policy.periodSeconds / faster })),
})
