import { spawnSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { NodeMetrics, readableMetrics } from '../scaling/node-metrics.mjs'
import { queryOf, scalingOf } from '../scaling/scaling-file.mjs'
import { inWorkspace } from '../steps.mjs'

const scrape = ({ sockets, lags: [quick, slow, all] }) => `# HELP parley_realtime_sockets Sockets
# TYPE parley_realtime_sockets gauge
parley_realtime_sockets ${sockets}
parley_realtime_lag_seconds_bucket{le="0.1"} ${quick}
parley_realtime_lag_seconds_bucket{le="0.5"} ${slow}
parley_realtime_lag_seconds_bucket{le="+Inf"} ${all}
parley_realtime_lag_seconds_count ${all}
`

test('the number of sockets is the one in the newest scrape', () => {
  const metrics = new NodeMetrics(60)
  expect(metrics.value('parley_realtime_sockets')).toBeUndefined()
  metrics.add(0, scrape({ sockets: 5, lags: [0, 0, 0] }))
  metrics.add(10, scrape({ sockets: 7, lags: [0, 0, 0] }))
  expect(metrics.value('parley_realtime_sockets')).toBe(7)
})

test('the lag is the quantile of the values added in the window, as Prometheus computes it', () => {
  const metrics = new NodeMetrics(60)
  const lag = () => metrics.value('parley_realtime_lag_p95_seconds')
  metrics.add(0, scrape({ sockets: 1, lags: [100, 100, 100] }))
  expect(lag()).toBe(0)
  metrics.add(30, scrape({ sockets: 1, lags: [190, 200, 200] }))
  expect(lag()).toBeCloseTo(0.3)
  metrics.add(60, scrape({ sockets: 1, lags: [190, 200, 240] }))
  expect(lag()).toBe(0.5)
  // Only the last values were added within the window.
  metrics.add(120, scrape({ sockets: 1, lags: [290, 300, 340] }))
  expect(lag()).toBeCloseTo(0.095)
})

test('a window shorter than the scrape interval is extended to two scrapes', () => {
  const metrics = new NodeMetrics(2)
  for (const n of [1, 2, 3]) metrics.add(n * 15, scrape({ sockets: 1, lags: [0, n * 100, n * 100] }))
  expect(metrics.value('parley_realtime_lag_p95_seconds')).toBeCloseTo(0.48)
})

test('pnpm autoscale refuses a limit that is not a whole number', () => {
  // The unknown metric makes the command end before it starts a fleet, even if the limits are accepted.
  const args = [inWorkspace('packages/tooling/autoscale.mjs'), '--min', '1.5', '--target', 'unknown=1']
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, '--min: must be a whole number\n'])
})

test('the metrics that scale realtime nodes can be read, each from the series of its query', () => {
  const { targets } = scalingOf('realtime')
  expect(Object.keys(targets).sort()).toEqual(readableMetrics.toSorted())
  expect(queryOf('parley_realtime_sockets')).toMatch(/sum by .*parley_realtime_sockets\{/)
  expect(queryOf('parley_realtime_lag_p95_seconds')).toMatch(
    /histogram_quantile\(0\.95, .*rate\(parley_realtime_lag_seconds_bucket\{.*\[2m\]/,
  )
})

test('a speed-up divides every time of the scaling behaviour by the same factor', () => {
  const [slow, quick] = [scalingOf('realtime'), scalingOf('realtime', 60)].map(({ behavior }) => behavior.scaleDown)
  expect(quick.stabilizationWindowSeconds).toBe(slow.stabilizationWindowSeconds / 60)
  expect(quick.policies[0]).toEqual({ ...slow.policies[0], periodSeconds: slow.policies[0].periodSeconds / 60 })
})
