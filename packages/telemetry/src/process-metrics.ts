import { performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics, type HeapSpaceInfo } from 'node:v8'
import { EventLoopLag } from './event-loop-lag.ts'
import { gauge, sum } from './metrics.ts'

const uptime = gauge('process.uptime', { description: 'Time since the process started', unit: 's' })
const memory = gauge('process.memory.usage', { description: 'Resident memory', unit: 'By' })
const externalMemory = gauge('parley.process.external_memory', {
  description: 'Memory of buffers and native objects, part of the resident memory',
  unit: 'By',
})
const cpuTime = sum('process.cpu.time', { description: 'CPU time used', unit: 's', labels: ['cpu.mode'] })
const heapUsed = gauge('v8js.memory.heap.used', {
  description: 'V8 heap in use, by space',
  unit: 'By',
  labels: ['v8js.heap.space.name'],
})
const heapSize = gauge('v8js.memory.heap.space.size', {
  description: 'V8 heap reserved, by space',
  unit: 'By',
  labels: ['v8js.heap.space.name'],
})
const delayP99 = gauge('nodejs.eventloop.delay.p99', {
  description:
    'The p99 of the delay of the event loop in the last full minute; before the first one ends, since the start',
  unit: 's',
})
const delayMax = gauge('nodejs.eventloop.delay.max', {
  description: 'Longest delay of the event loop in the last full minute and the time since',
  unit: 's',
})
const loopTime = sum('nodejs.eventloop.time', {
  description: 'Time that the event loop worked or waited',
  unit: 's',
  labels: ['nodejs.eventloop.state'],
})

/** Dispose the result to stop measuring. */
export function processMetrics(): Disposable {
  const lag = new EventLoopLag()
  const heap = (of: (space: HeapSpaceInfo) => number) =>
    getHeapSpaceStatistics().map(({ space_name: name }, at) => ({
      name,
      read: () => {
        const space = getHeapSpaceStatistics()[at]
        return space && of(space)
      },
    }))
  const observed = [
    uptime(() => process.uptime()),
    memory(() => process.memoryUsage.rss()),
    externalMemory(() => process.memoryUsage().external),
    ...(['user', 'system'] as const).map((mode) => cpuTime(() => process.cpuUsage()[mode] / 1e6, { 'cpu.mode': mode })),
    ...heap((space) => space.space_used_size).map(({ name, read }) => heapUsed(read, { 'v8js.heap.space.name': name })),
    ...heap((space) => space.space_size).map(({ name, read }) => heapSize(read, { 'v8js.heap.space.name': name })),
    delayP99(() => lag.p99()),
    delayMax(() => lag.max()),
    ...(['active', 'idle'] as const).map((state) =>
      loopTime(() => performance.eventLoopUtilization()[state] / 1000, { 'nodejs.eventloop.state': state }),
    ),
  ]
  return {
    [Symbol.dispose]: () => {
      lag[Symbol.dispose]()
      for (const each of observed) each[Symbol.dispose]()
    },
  }
}
