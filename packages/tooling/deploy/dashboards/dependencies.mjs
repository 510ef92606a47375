import { count, perSecond, quantile, quantiles, rate, seconds, share } from './queries.mjs'

const pool = 'db_client_connection_pool_name'

export const dependencies = {
  name: 'dependencies',
  title: 'dependencies',
  panels: [
    {
      title: 'Connections in use',
      meaning: 'Used share of each pool of PostgreSQL connections',
      unit: share,
      queries: [
        [
          `sum(db_client_connection_count{db_client_connection_state="used"}) by (${pool}) / sum(db_client_connection_limit) by (${pool})`,
          `{{${pool}}}`,
        ],
      ],
    },
    {
      title: 'Waits for a connection',
      meaning: 'p99 of the wait when no connection was idle',
      unit: seconds,
      queries: [[quantile(0.99, 'db_client_connection_wait_time_seconds', pool), `{{${pool}}}`]],
    },
    {
      title: 'No connection',
      meaning: 'Statements and transactions that got no connection',
      unit: perSecond,
      queries: [[rate('db_client_connection_timeouts_total', pool), `{{${pool}}}`]],
    },
    {
      title: 'Time of statements',
      meaning: 'p99 of the time that a statement or a transaction had a connection',
      unit: seconds,
      queries: [[quantile(0.99, 'db_client_connection_use_time_seconds', pool), `{{${pool}}}`]],
    },
    {
      title: 'Time of the stream',
      meaning: 'Time until the stream has stored a message, which may contain several events',
      unit: seconds,
      queries: quantiles('messaging_client_operation_duration_seconds'),
    },
    {
      title: 'Copies of the stream',
      meaning: 'Copies that exist, and how many are configured',
      unit: count,
      queries: [
        ['max(parley_stream_replicas)', 'copies'],
        ['max(parley_stream_replicas_wanted)', 'wanted'],
      ],
    },
    {
      title: 'Requests sent over HTTP',
      meaning: 'p99 of requests to push services, the storage, the media server and others',
      unit: seconds,
      queries: [[quantile(0.99, 'http_client_request_duration_seconds', 'parley_peer'), '{{parley_peer}}']],
    },
    {
      title: 'Failing requests sent over HTTP',
      meaning: 'Requests without an answer or with a status of 400 or more',
      unit: perSecond,
      queries: [
        [
          rate('http_client_request_duration_seconds_count', 'parley_peer, error_type', 'error_type!=""'),
          '{{parley_peer}} {{error_type}}',
        ],
      ],
    },
    {
      title: 'Presence and mails',
      meaning: 'Unanswered presence requests, and mails by outcome',
      unit: perSecond,
      queries: [
        [rate('parley_accounts_presence_failures_total', ''), 'presence failed'],
        [rate('parley_accounts_mails_total', 'parley_outcome'), 'mails: {{parley_outcome}}'],
      ],
    },
  ],
}
