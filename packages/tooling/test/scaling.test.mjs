import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { adapterRules, problemsOfAutoscalers, scaling } from '../deploy/scaling.mjs'

const isThere = spawnSync('promtool', ['--version']).status === 0
if (!isThere) console.log('scaling: one test skipped: promtool (package prometheus) is not on PATH')

const queryFor = (metric) =>
  scaling.metrics[metric].query
    .replaceAll('<<.LabelMatchers>>', 'namespace="chat",pod=~"a|b"')
    .replaceAll('<<.GroupBy>>', 'pod')

const series = [
  // Pod a is busy, b idle; the query leaves c out.
  ['parley_realtime_sockets{namespace="chat",pod="a"}', '9000x20'],
  ['parley_realtime_sockets{namespace="chat",pod="b"}', '0x20'],
  ['parley_realtime_sockets{namespace="chat",pod="c"}', '500x20'],
  // Ten events in 15 seconds, all between half a second and one second old.
  ['parley_realtime_lag_seconds_bucket{namespace="chat",pod="a",le="0.5"}', '0x20'],
  ['parley_realtime_lag_seconds_bucket{namespace="chat",pod="a",le="1"}', '0+10x20'],
  ['parley_realtime_lag_seconds_bucket{namespace="chat",pod="a",le="+Inf"}', '0+10x20'],
  ['parley_realtime_lag_seconds_bucket{namespace="chat",pod="b",le="0.5"}', '7x20'],
  ['parley_realtime_lag_seconds_bucket{namespace="chat",pod="b",le="1"}', '7x20'],
  ['parley_realtime_lag_seconds_bucket{namespace="chat",pod="b",le="+Inf"}', '7x20'],
  ['parley_rpc_server_queue_waiting{namespace="chat",pod="a",parley_service="rooms"}', '0x20'],
  ['parley_rpc_server_queue_waiting{namespace="chat",pod="b",parley_service="rooms"}', '0x20'],
  // In each 15 seconds calls waited 90 seconds in total. In pod b no call has waited yet.
  ['parley_rpc_server_queue_duration_seconds_sum{namespace="chat",pod="a"}', '0+90x20'],
].map(([name, values]) => ({ series: name, values }))

const expected = {
  parley_realtime_sockets: { a: 9000, b: 0 },
  parley_realtime_lag_p95_seconds: { a: 0.975, b: 0 },
  parley_rpc_server_queue_mean: { a: 6, b: 0 },
}

const withPromtool = isThere ? test : test.skip

withPromtool('each metric has a value for each pod, 0 where nothing happens', () => {
  expect(Object.keys(expected).toSorted()).toEqual(Object.keys(scaling.metrics).toSorted())
  const queries = Object.entries(expected).map(([metric, values]) => ({
    expr: queryFor(metric),
    eval_time: '5m',
    exp_samples: Object.entries(values).map(([pod, value]) => ({ labels: `{pod="${pod}"}`, value })),
  }))
  const folder = mkdtempSync(join(tmpdir(), 'parley-scaling-'))
  const file = join(folder, 'test.json')
  writeFileSync(
    file,
    JSON.stringify({ rule_files: [], tests: [{ interval: '15s', input_series: series, promql_expr_test: queries }] }),
  )
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')])
})

test('prometheus-adapter offers every metric under the name that autoscalers use', () => {
  const offered = adapterRules().map(({ name }) => name.as)
  const targets = Object.values(scaling.groups).flatMap((group) => Object.keys(group.targets))
  expect(targets.filter((name) => !offered.includes(name))).toEqual([])
})

test('KEDA selects exactly the pods of a deployable, even if their names were cut off', () => {
  const golden = readFileSync(new URL('../deploy/golden/full.yaml', import.meta.url), 'utf8')
  const [, pattern] = /pod=~"(parley-notifications[^"]*)"/.exec(golden)
  const pods = new RegExp(`^(?:${pattern})$`)
  // The last five characters are random; the part before them ends after 58 characters at the latest.
  for (const name of ['parley-notifications-5d9c7b8f6c-x2b4z', 'parley-notifications-5d9cx2b4z'])
    expect(name).toMatch(pods)
  for (const name of ['parley-rooms-5d9c7b8f6c-x2b4z', 'parley-notifications-gateway-5d9c7b8f6c-x2b4z'])
    expect(name).not.toMatch(pods)
})

const deployment = { kind: 'Deployment', metadata: { name: 'realtime' }, spec: {} }
const autoscaler = (kind, metrics, behavior = scaling.groups.sockets.behavior) => ({
  kind,
  metadata: { name: 'realtime' },
  spec: {
    scaleTargetRef: { name: 'realtime' },
    behavior,
    metrics: metrics.map((name) => ({ type: 'Pods', pods: { metric: { name } } })),
  },
})

test.each([
  ['an unknown metric', [autoscaler('HorizontalPodAutoscaler', ['sockets'])], 'there is no metric sockets'],
  [
    'two autoscalers of a deployment',
    [autoscaler('HorizontalPodAutoscaler', []), autoscaler('ScaledObject', [])],
    'Deployment realtime: has two autoscalers',
  ],
  [
    'an autoscaler that removes pods too fast',
    [autoscaler('HorizontalPodAutoscaler', [], { scaleDown: { stabilizationWindowSeconds: 0 } })],
    'scales down too fast',
  ],
])('the check of the chart finds %s', (_, scalers, problem) => {
  const good = autoscaler('HorizontalPodAutoscaler', ['parley_realtime_sockets'])
  expect(problemsOfAutoscalers([deployment, good])).toEqual([])
  expect(problemsOfAutoscalers([deployment, ...scalers])).toEqual([expect.stringContaining(problem)])
})
