import { expect, test } from '@jest/globals'
import { counter, gauge, histogram, metricsText } from './metrics.ts'
import { processMetrics } from './process-metrics.ts'

test('a counter counts per labels', async () => {
  const posted = counter('test_posted', { description: 'Posts' })
  posted()
  posted(2, { kind: 'reply' })
  const text = await metricsText()
  expect(text).toContain('# HELP test_posted_total Posts\n')
  expect(text).toContain('\ntest_posted_total 1\n')
  expect(text).toContain('\ntest_posted_total{kind="reply"} 2\n')
})

test('a histogram has its own buckets, or those for seconds', async () => {
  histogram('test.age', { description: 'Age', unit: 's' })(0.3)
  histogram('test.wait', { description: 'Wait', unit: 'ms', buckets: [1, 10] })(5)
  const text = await metricsText()
  expect(text).toContain('\ntest_age_seconds_bucket{le="0.25"} 0\ntest_age_seconds_bucket{le="0.5"} 1\n')
  expect(text).toMatch(
    /test_wait_milliseconds_bucket\{le="1"\} 0\ntest_wait_milliseconds_bucket\{le="10"\} 1\ntest_wait_milliseconds_bucket\{le="\+Inf"\} 1/,
  )
})

test('a gauge is read when asked for, until it is disposed', async () => {
  let sockets = 3
  {
    using _ = gauge('test_sockets', { description: 'Sockets', labels: { node: 'a' } }, () => sockets)
    expect(await metricsText()).toContain('\ntest_sockets{node="a"} 3\n')
    sockets = 4
    expect(await metricsText()).toContain('\ntest_sockets{node="a"} 4\n')
  }
  sockets = 5
  expect(await metricsText()).not.toContain('test_sockets{node="a"} 5')
})

test('the process tells how it is', async () => {
  using _ = processMetrics()
  const text = await metricsText()
  for (const name of [
    'process_uptime_seconds',
    'process_resident_memory_bytes',
    'nodejs_heap_used_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ]) {
    expect(text).toMatch(new RegExp(`^${name} [0-9.e+-]+$`, 'm'))
  }
})
