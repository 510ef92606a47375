import { histogram } from '@parley/telemetry'

const waited = histogram('parley.jobs.wait', {
  description: 'Time from when a job was due until a process claimed it',
  unit: 's',
  labels: ['parley.queue'],
  buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
})
const worked = histogram('parley.jobs.duration', {
  description: 'Time that a process worked on a job, by outcome: `done`, to be `continued` later, or `failed`',
  unit: 's',
  labels: ['parley.queue', 'parley.outcome'],
  buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
})

export const recordWait = (queue: string, waitedMs: number): void =>
  waited(Math.max(0, waitedMs) / 1000, { 'parley.queue': queue })

export const recordWork = (queue: string, outcome: 'done' | 'continued' | 'failed', durationMs: number): void =>
  worked(durationMs / 1000, { 'parley.queue': queue, 'parley.outcome': outcome })
