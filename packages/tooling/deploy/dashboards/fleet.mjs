import { bytes, count, part, perSecond, quantile, quantiles, rate, seconds, share } from './queries.mjs'

export const fleet = {
  name: 'fleet',
  title: 'fleet',
  panels: [
    {
      title: 'Public calls',
      meaning: 'Requests to the gateways by status',
      unit: perSecond,
      queries: [
        [
          rate('http_server_request_duration_seconds_count', 'http_response_status_code'),
          '{{http_response_status_code}}',
        ],
      ],
    },
    {
      title: 'Failed public calls',
      meaning: 'Share of requests that ended with a status from 500',
      unit: share,
      queries: [[part('http_server_request_duration_seconds', '', 'http_response_status_code=~"5.."'), 'failed']],
    },
    {
      title: 'Time of public calls',
      meaning: 'From the head of a request to its answer',
      unit: seconds,
      queries: quantiles('http_server_request_duration_seconds'),
    },
    {
      title: 'Slowest methods',
      meaning: 'p99 of calls over the bus, the ten slowest methods',
      unit: seconds,
      queries: [[`topk(10, ${quantile(0.99, 'rpc_server_call_duration_seconds', 'rpc_method')})`, '{{rpc_method}}']],
    },
    {
      title: 'Failed calls',
      meaning:
        'Calls over the bus that failed for a reason that is not the caller’s, as callers see them, by method and code',
      unit: perSecond,
      queries: [
        [
          `topk(10, ${rate('rpc_client_call_duration_seconds_count', 'rpc_method, rpc_response_status_code', 'rpc_response_status_code=~"internal|unavailable|deadline_exceeded|unknown|data_loss"')})`,
          '{{rpc_method}} {{rpc_response_status_code}}',
        ],
      ],
    },
    {
      title: 'Calls that wait',
      meaning: 'Calls without a free slot, and those left for another server',
      unit: count,
      queries: [
        ['sum(parley_rpc_server_queue_waiting) by (parley_service)', '{{parley_service}} waiting'],
        [rate('parley_rpc_server_not_started_total', 'parley_reason'), '{{parley_reason}} per second'],
      ],
    },
    {
      title: 'CPU',
      meaning: 'Cores used by each process',
      unit: count,
      queries: [[rate('process_cpu_time_seconds_total', 'job, instance'), '{{job}} {{instance}}']],
    },
    {
      title: 'Memory',
      meaning: 'Resident memory of each process',
      unit: bytes,
      queries: [['process_memory_usage_bytes', '{{job}} {{instance}}']],
    },
    {
      title: 'Delay of the event loop',
      meaning: 'p99 between two readings; above 0.1 s a process is overloaded',
      unit: seconds,
      queries: [['nodejs_eventloop_delay_p99_seconds', '{{job}} {{instance}}']],
    },
  ],
}
