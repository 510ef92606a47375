import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parse, stringify } from 'yaml'
import { declaredMetrics, seriesOf } from '../declared-metrics.mjs'
import { formatText } from '../format.mjs'
import { inWorkspace } from '../steps.mjs'
import { deployableNames } from './manifest.mjs'
import { problemsOfQuery } from './queries.mjs'

/** Comments in the file explain its parts. */
export const scaling = parse(readFileSync(inWorkspace('helm/parley/files/scaling.yaml'), 'utf8'))

const adapterValues = inWorkspace('deploy/prometheus-adapter/values.yaml')
const head = `# Values for the chart prometheus-adapter: the metrics of helm/parley/files/scaling.yaml in the custom metrics API.
# Generated from that file by pnpm check-deploy --write.
`

/**
 * The code must declare the metrics, each deployable must be in one group, the chart must accept a target for each
 * metric, and the rules of prometheus-adapter must offer the metrics. `write` updates the rules.
 */
export async function problemsOfScaling({ write } = {}) {
  const { metrics } = await declaredMetrics()
  const problems = [
    ...problemsOfMetrics(new Set(metrics.flatMap(seriesOf))),
    ...problemsOfGroups(Object.values(scaling.groups)),
  ]
  const rules = await formatText(
    adapterValues,
    head + stringify({ rules: { custom: adapterRules() } }, { aliasDuplicateObjects: false }),
  )
  if (write) {
    await mkdir(dirname(adapterValues), { recursive: true })
    await writeFile(adapterValues, rules)
  }
  if (!existsSync(adapterValues) || readFileSync(adapterValues, 'utf8') !== rules)
    problems.push(`${adapterValues} is out of date; run: pnpm check-deploy --write`)
  return problems
}

export function adapterRules() {
  const resources = { overrides: { namespace: { resource: 'namespace' }, pod: { resource: 'pod' } } }
  return Object.entries(scaling.metrics).map(([name, { series, query }]) => ({
    seriesQuery: `${series}{namespace!="",pod!=""}`,
    resources,
    name: { as: name },
    metricsQuery: query,
  }))
}

function problemsOfMetrics(known) {
  return Object.entries(scaling.metrics).flatMap(([name, { series, query }]) => [
    ...[...problemsOfQuery(query, known), ...problemsOfQuery(series, known)].map(
      (problem) => `scaling.yaml: ${name}: ${problem}`,
    ),
    ...(query.includes('<<.LabelMatchers>>') && query.includes('<<.GroupBy>>')
      ? []
      : [`scaling.yaml: ${name}: its query does not return a value for each pod`]),
  ])
}

function problemsOfGroups(groups) {
  const grouped = groups.flatMap(({ deployables }) => deployables)
  const used = new Set(groups.flatMap(({ targets }) => Object.keys(targets)))
  const offered = Object.keys(scaling.metrics)
  const schema = JSON.parse(readFileSync(inWorkspace('helm/parley/values.schema.json'), 'utf8'))
  const settable = Object.keys(schema.definitions.autoscaling.properties.targets.properties)
  return [
    ...(grouped.toSorted().join() === deployableNames.toSorted().join()
      ? []
      : [`scaling.yaml: its groups contain ${grouped}, not each deployable once`]),
    ...offered.filter((name) => !used.has(name)).map((name) => `scaling.yaml: no group uses the metric ${name}`),
    ...[...used].filter((name) => !offered.includes(name)).map((name) => `scaling.yaml: there is no metric ${name}`),
    ...(settable.toSorted().join() === offered.toSorted().join()
      ? []
      : [`values.schema.json: targets are ${settable}, not ${offered}`]),
  ]
}

/** A deployment has at most one autoscaler, which scales down slowly and uses only metrics that are offered. */
export function problemsOfAutoscalers(objects) {
  const scalers = objects.filter(({ kind }) => ['HorizontalPodAutoscaler', 'ScaledObject'].includes(kind))
  const targets = scalers.map(({ spec }) => spec.scaleTargetRef.name)
  const problems = targets
    .filter((target, index) => targets.indexOf(target) !== index)
    .map((target) => `Deployment ${target}: has two autoscalers`)
  for (const { kind, metadata, spec } of scalers) {
    const must = (holds, problem) => holds || problems.push(`${kind} ${metadata.name}: ${problem}`)
    const name = spec.scaleTargetRef.name
    const deployment = objects.find((object) => object.kind === 'Deployment' && object.metadata.name === name)
    must(deployment, `there is no Deployment ${name}`)
    must(deployment?.spec.replicas === undefined, `the Deployment ${name} sets replicas, which resets what this scales`)
    const behavior = spec.behavior ?? spec.advanced?.horizontalPodAutoscalerConfig?.behavior
    const { stabilizationWindowSeconds = 0, policies = [] } = behavior?.scaleDown ?? {}
    const slow = policies.every(
      ({ type, value, periodSeconds }) => type === 'Pods' && value === 1 && periodSeconds >= 60,
    )
    must(stabilizationWindowSeconds >= 300 && policies.length > 0 && slow, 'scales down too fast')
    for (const metric of metricsOf(spec)) must(metric in scaling.metrics, `there is no metric ${metric}`)
  }
  return problems
}

/** Without any metric, `metrics` of an autoscaler is null. */
function metricsOf({ metrics, triggers = [] }) {
  const pods = (metrics ?? []).filter(({ type }) => type === 'Pods').map((each) => each.pods.metric.name)
  const ofTriggers = triggers.filter(({ type }) => type === 'prometheus').map(({ name }) => name.replaceAll('-', '_'))
  return [...pods, ...ofTriggers]
}
