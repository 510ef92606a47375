import { expect, test } from '@jest/globals'
import { declarations } from './declarations.ts'
import { counter, gauge, histogram, metricsText, sum } from './metrics.ts'
import { processMetrics } from './process-metrics.ts'
import { serverVersion } from './version.ts'

test('a counter counts separately for each value of its labels', async () => {
  const posted = counter('test.posted', { description: 'Posts', unit: '{message}', labels: ['parley.kind'] })
  posted(1, { 'parley.kind': 'plain' })
  posted(2, { 'parley.kind': 'reply' })
  const text = await metricsText()
  expect(text).toContain('# HELP test_posted_total Posts\n')
  expect(text).toContain('\ntest_posted_total{parley_kind="plain"} 1\n')
  expect(text).toContain('\ntest_posted_total{parley_kind="reply"} 2\n')
})

test('metrics name the version of the server', async () => {
  expect(await metricsText()).toMatch(new RegExp(`^target_info\\{.*service_version="${serverVersion}"`, 'm'))
})

test('a counter without labels is reported before anything was counted', async () => {
  counter('test.lost', { description: 'Lost', unit: '{event}' })
  expect(await metricsText()).toContain('\ntest_lost_total 0\n')
})

test('in Prometheus, a unit that is not in braces is the last word of the name, before `_total` or `_count`', async () => {
  counter('test.sent', { description: 'Sent', unit: 'By' })(5)
  histogram('test.age', { description: 'Age', unit: 's' })(0.3)
  using _ = sum('test.work', { description: 'Work', unit: 's' })(() => 7)
  const text = await metricsText()
  expect(text).toContain('\ntest_sent_bytes_total 5\n')
  expect(text).toContain('\ntest_age_seconds_count 1\n')
  expect(text).toContain('\ntest_work_seconds_total 7\n')
})

test('a histogram in seconds has default buckets unless it declares others', async () => {
  histogram('test.lag', { description: 'Lag', unit: 's' })(0.3)
  histogram('test.wait', { description: 'Wait', unit: 's', buckets: [1, 10] })(5)
  const text = await metricsText()
  expect(text).toContain('\ntest_lag_seconds_bucket{le="0.25"} 0\ntest_lag_seconds_bucket{le="0.5"} 1\n')
  expect(text).toContain(
    '\ntest_wait_seconds_bucket{le="1"} 0\ntest_wait_seconds_bucket{le="10"} 1\ntest_wait_seconds_bucket{le="+Inf"} 1\n',
  )
})

test('a gauge is reported from its first value on, and read on each collection until it is disposed', async () => {
  let sockets: number | undefined
  const shown = gauge('test.sockets', { description: 'Sockets', unit: '{socket}', labels: ['parley.lane'] })
  {
    using _ = shown(() => sockets, { 'parley.lane': 'first' })
    expect(await metricsText()).not.toContain('test_sockets{')
    sockets = 3
    expect(await metricsText()).toContain('\ntest_sockets{parley_lane="first"} 3\n')
    sockets = 4
    expect(await metricsText()).toContain('\ntest_sockets{parley_lane="first"} 4\n')
  }
  sockets = 5
  expect(await metricsText()).not.toContain('test_sockets{parley_lane="first"} 5')
})

test('only declared labels with their values are accepted', () => {
  const counted = counter('test.counted', { description: 'Counted', unit: '{push}', labels: ['parley.lane'] })
  const failed = histogram('test.failed', { description: 'Failed', unit: 's', labels: ['error.type'] })
  const types = () => {
    failed(1, {})
    // @ts-expect-error -- a label that no metric may have
    counter('test.wrong', { description: 'Wrong', unit: '{user}', labels: ['user.id'] })
    // @ts-expect-error -- a value that the label does not have
    counted(1, { 'parley.lane': 'Uaaaaaaaaaaaaaa' })
    // @ts-expect-error -- a label of other metrics
    counted(1, { 'parley.lane': 'first', 'parley.kind': 'x' })
    // @ts-expect-error -- its label is missing
    counted(1)
  }
  expect(types).toBeInstanceOf(Function)
})

test('declarations of metrics are listed', () => {
  gauge('test.listed', { description: 'Listed', unit: '{thing}', labels: ['parley.service'] })
  expect(declarations()).toContainEqual({
    ...{ name: 'test.listed', kind: 'gauge', description: 'Listed', unit: '{thing}' },
    labels: ['parley.service'],
  })
})

test('a process reports its own metrics', async () => {
  using _ = processMetrics()
  const text = await metricsText()
  for (const series of [
    'process_uptime_seconds',
    'process_memory_usage_bytes',
    'process_cpu_time_seconds_total{cpu_mode="user"}',
    'v8js_memory_heap_used_bytes{v8js_heap_space_name="old_space"}',
    'nodejs_eventloop_delay_p99_seconds',
    'nodejs_eventloop_time_seconds_total{nodejs_eventloop_state="active"}',
  ]) {
    const at = text.indexOf(`\n${series} `)
    expect([series, at > 0 && Number(text.slice(at + series.length + 2).split('\n', 1)[0]) >= 0]).toEqual([
      series,
      true,
    ])
  }
})
