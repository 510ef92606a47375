import { faults, publicCalls } from '../objectives.mjs'
import { bytes, count, perSecond, quantile, quantiles, rate, seconds, share } from './queries.mjs'

const requests = 'http_server_request_duration_seconds'

export const fleet = {
  name: 'fleet',
  title: 'fleet',
  panels: [
    {
      title: 'Public calls',
      meaning: 'Calls of clients to the gateways, over HTTP and gRPC: those that succeeded, and the others by code',
      unit: perSecond,
      queries: [
        [rate(`${requests}_count`, '', `${publicCalls},error_type=""`), 'ok'],
        [rate(`${requests}_count`, 'error_type', `${publicCalls},error_type!=""`), '{{error_type}}'],
      ],
    },
    {
      title: 'Failed public calls',
      meaning: 'Share of the public calls that failed for a reason that is not the caller’s, by code',
      unit: share,
      queries: [
        [
          `${rate(`${requests}_count`, 'error_type', `${publicCalls},error_type=~"${faults}"`)} / on () group_left () ${rate(`${requests}_count`, '', publicCalls)}`,
          '{{error_type}}',
        ],
      ],
    },
    {
      title: 'Time of public calls',
      meaning: 'From the head of a request to the start of the response',
      unit: seconds,
      queries: quantiles(requests, publicCalls),
    },
    {
      title: 'Longest delay of the event loop',
      meaning: 'The longest delay in the last full minute and the time since; for this long, the process served nobody',
      unit: seconds,
      queries: [['nodejs_eventloop_delay_max_seconds', '{{job}} {{instance}}']],
    },
    {
      title: 'Other requests',
      meaning:
        'Sign-ins, files, pages and health checks, by path and status; a request that the gateway passes on counts at both deployables',
      unit: perSecond,
      queries: [
        [
          rate(`${requests}_count`, 'http_route, http_response_status_code', 'http_route!~"/svc[.].+"'),
          '{{http_route}} {{http_response_status_code}}',
        ],
      ],
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
      meaning: 'Calls waiting for a free slot, and calls refused with not_started, by reason',
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
      meaning: 'p99 of the delay in the last full minute; above 0.1 s a process is overloaded',
      unit: seconds,
      queries: [['nodejs_eventloop_delay_p99_seconds', '{{job}} {{instance}}']],
    },
  ],
}
