import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { inWorkspace } from '../steps.mjs'

/** The groups and metrics of the chart's autoscalers. */
const { groups, metrics } = parse(readFileSync(inWorkspace('helm/parley/files/scaling.yaml'), 'utf8'))

/** The Prometheus query behind a metric of the custom metrics API. */
export const queryOf = (name) => metrics[name].query

/** Targets and behaviour of the autoscaler of a deployable, all times divided by `faster`. */
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
