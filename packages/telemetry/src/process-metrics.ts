import { performance } from 'node:perf_hooks'
import { EventLoopLag } from './event-loop-lag.ts'
import { gauge } from './metrics.ts'

/** Declares the metrics of the Node process itself. Dispose the result to end their measuring. */
export function processMetrics(): Disposable {
  const lag = new EventLoopLag()
  const gauges = [
    gauge('process.uptime', { description: 'Time since the process started', unit: 's' }, () => process.uptime()),
    gauge('process.start_time', { description: 'Start time of the process, Unix time', unit: 's' }, () =>
      Math.round(performance.timeOrigin / 1000),
    ),
    gauge('process.resident_memory', { description: 'Resident memory', unit: 'By' }, () => process.memoryUsage.rss()),
    gauge('process.cpu_time', { description: 'User and system CPU time used', unit: 's' }, cpuSeconds),
    gauge('nodejs.heap_used', { description: 'V8 heap in use', unit: 'By' }, () => process.memoryUsage().heapUsed),
    gauge('nodejs.heap_total', { description: 'V8 heap reserved', unit: 'By' }, () => process.memoryUsage().heapTotal),
    gauge('nodejs.external_memory', { description: 'Memory of buffers and native objects', unit: 'By' }, () => {
      return process.memoryUsage().external
    }),
    gauge(
      'nodejs.eventloop_lag_p99',
      { description: 'p99 of the event loop lag since the last reading', unit: 's' },
      () => lag.p99(),
    ),
    gauge('nodejs.eventloop_lag_max', { description: 'Longest event loop lag since the last reading', unit: 's' }, () =>
      lag.takeMax(),
    ),
  ]
  return {
    [Symbol.dispose]: () => {
      lag[Symbol.dispose]()
      for (const each of gauges) each[Symbol.dispose]()
    },
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
