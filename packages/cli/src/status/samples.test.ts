import { expect, test } from '@jest/globals'
import { largest, total } from './samples.ts'

const metrics = `# TYPE parley_outbox_age_seconds gauge
parley_outbox_age_seconds{parley_service="rooms"} 1.5 1700000000000
parley_outbox_age_seconds{parley_service="messaging"} 0.25
parley_outbox_age_seconds_more 7
parley_realtime_sockets 12
process_memory_usage_bytes NaN
`

test('total and largest use all series of a metric, but not metrics with a longer name; null without a number', () => {
  expect(total(metrics, 'parley_outbox_age_seconds')).toBe(1.75)
  expect(largest(metrics, 'parley_outbox_age_seconds')).toBe(1.5)
  expect(total(metrics, 'parley_realtime_sockets')).toBe(12)
  expect(total(metrics, 'parley_consumer_pending')).toBeNull()
  expect(largest(metrics, 'process_memory_usage_bytes')).toBeNull()
})
