import { count, perSecond, quantiles, rate, seconds } from './queries.mjs'

export const realtime = {
  name: 'realtime',
  title: 'realtime',
  panels: [
    {
      title: 'Sockets',
      meaning: 'Sockets of each node',
      unit: count,
      queries: [['parley_realtime_sockets', '{{instance}}']],
    },
    {
      title: 'Opened and ended',
      meaning: 'Streams that began, and those that ended or failed, by reason',
      unit: perSecond,
      queries: [
        [rate('parley_realtime_opened_total', ''), 'opened'],
        [rate('parley_realtime_ended_total', 'parley_reason'), 'ended: {{parley_reason}}'],
        [rate('parley_realtime_failed_total', 'parley_reason'), 'failed: {{parley_reason}}'],
      ],
    },
    {
      title: 'From the change to the socket',
      meaning: 'Time from a change until its event is handed to the sockets of a node',
      unit: seconds,
      queries: quantiles('parley_realtime_lag_seconds'),
    },
    {
      title: 'Frames',
      meaning: 'Events handed to topics, by kind',
      unit: perSecond,
      queries: [[rate('parley_realtime_published_total', 'parley_event_kind'), '{{parley_event_kind}}']],
    },
    {
      title: 'Slow consumers',
      meaning: 'Sockets closed because their client did not read fast enough',
      unit: perSecond,
      queries: [[rate('parley_realtime_slow_consumers_total', ''), 'closed']],
    },
    {
      title: 'Resumes and resets',
      meaning: 'Streams that resumed where they had stopped, and those that could not',
      unit: perSecond,
      queries: [
        [rate('parley_realtime_resumes_total', ''), 'resumed'],
        [rate('parley_realtime_resets_total', 'parley_reason'), 'reset: {{parley_reason}}'],
      ],
    },
    {
      title: 'Failing dependencies',
      meaning: 'Failed requests to other deployables while opening sockets',
      unit: perSecond,
      queries: [[rate('parley_realtime_dependency_failures_total', 'parley_service'), '{{parley_service}}']],
    },
  ],
}
