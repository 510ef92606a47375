import { count, perSecond, quantile, quantiles, rate, seconds, share } from './queries.mjs'

export const delivery = {
  name: 'delivery',
  title: 'delivery',
  panels: [
    {
      title: 'Outbox',
      meaning: 'Age of the oldest event that the stream has not stored yet',
      unit: seconds,
      queries: [['max(parley_outbox_age_seconds) by (parley_service)', '{{parley_service}}']],
    },
    {
      title: 'Relayed events',
      meaning: 'Events that the stream has stored, and failed messages by error; a message may contain several events',
      unit: perSecond,
      queries: [
        [rate('parley_outbox_relayed_total', ''), 'stored'],
        [
          rate('messaging_client_operation_duration_seconds_count', 'error_type', 'error_type!=""'),
          'messages {{error_type}}',
        ],
      ],
    },
    {
      title: 'Capacity of the stream',
      meaning: 'Used share of the size limit of the stream; when it is full the oldest events are dropped',
      unit: share,
      queries: [['max(parley_stream_size_bytes) / max(parley_stream_size_limit_bytes)', 'bytes']],
    },
    {
      title: 'Pending messages',
      meaning: 'Messages that a consumer has not handled',
      unit: count,
      queries: [
        ['max(parley_consumer_pending) by (messaging_consumer_group_name)', '{{messaging_consumer_group_name}}'],
      ],
    },
    {
      title: 'Time of consumers',
      meaning: 'p99 of handling an event, or a batch of events',
      unit: seconds,
      queries: [
        [
          quantile(0.99, 'messaging_process_duration_seconds', 'messaging_consumer_group_name'),
          '{{messaging_consumer_group_name}}',
        ],
      ],
    },
    {
      title: 'Failing consumers',
      meaning: 'Failures and redeliveries by consumer',
      unit: perSecond,
      queries: [
        [
          rate('parley_consumer_failures_total', 'messaging_consumer_group_name'),
          '{{messaging_consumer_group_name}} failed',
        ],
        [
          rate('parley_consumer_redeliveries_total', 'messaging_consumer_group_name'),
          '{{messaging_consumer_group_name}} redelivered',
        ],
      ],
    },
    {
      title: 'Parked events',
      meaning: 'Events and jobs that were given up; to retry them: parley events replay',
      unit: count,
      queries: [
        [
          'max(parley_consumer_parked_waiting) by (parley_service, messaging_consumer_group_name)',
          '{{parley_service}} {{messaging_consumer_group_name}}',
        ],
      ],
    },
    {
      title: 'Notifications',
      meaning: 'Time from a message until its notifications are stored',
      unit: seconds,
      queries: quantiles('parley_notifications_lag_seconds'),
    },
    {
      title: 'Pushes',
      meaning: 'Pushes by outcome',
      unit: perSecond,
      queries: [[rate('parley_push_pushes_total', 'parley_outcome'), '{{parley_outcome}}']],
    },
    {
      title: 'Time until pushed',
      meaning: 'p99 from a notification until the push service accepted it, by lane',
      unit: seconds,
      queries: [[quantile(0.99, 'parley_push_lag_seconds', 'parley_lane'), '{{parley_lane}}']],
    },
    {
      title: 'Waiting pushes',
      meaning: 'Pushes in the queue, by lane',
      unit: count,
      queries: [['max(parley_push_waiting) by (parley_lane)', '{{parley_lane}}']],
    },
    {
      title: 'Waiting jobs',
      meaning: 'p99 of the time from when a job was due until a worker claimed it',
      unit: seconds,
      queries: [[quantile(0.99, 'parley_jobs_wait_seconds', 'parley_queue'), '{{parley_queue}}']],
    },
  ],
}
