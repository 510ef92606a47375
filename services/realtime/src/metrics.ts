import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { Event } from '@parley/contracts/internal'
import { counter, gauge, histogram, logger } from '@parley/telemetry'
import type { ReplayRefusal } from './domain/replay-refusal.ts'
import { slowConsumer } from './errors.ts'

const sockets = gauge('parley.realtime.sockets', {
  description: 'Sockets with an accepted hello on this node',
  unit: '{socket}',
})
const opened = counter('parley.realtime.opened', { description: 'Sockets whose stream started', unit: '{socket}' })
const failed = counter('parley.realtime.failed', {
  description: 'Sockets refused or closed with an error, by code',
  unit: '{socket}',
  labels: ['parley.reason'],
})
const ended = counter('parley.realtime.ended', {
  description: 'Sockets closed by the server without an error, by code',
  unit: '{socket}',
  labels: ['parley.reason'],
})
const slowConsumers = counter('parley.realtime.slow_consumers', {
  description: 'Streams ended because the client read too slowly; also counted in parley.realtime.ended',
  unit: '{socket}',
})
const resumes = counter('parley.realtime.resumes', {
  description: 'Streams resumed at the position of their client',
  unit: '{socket}',
})
const resets = counter('parley.realtime.resets', {
  description: 'Streams that could not be resumed, so that their client reloads, by reason',
  unit: '{socket}',
  labels: ['parley.reason'],
})
const published = counter('parley.realtime.published', {
  description: 'Frames published to a topic, by event kind',
  unit: '{frame}',
  labels: ['parley.event.kind'],
})
const lag = histogram('parley.realtime.lag', {
  description: 'Time from the change until this node begins to send its event to sockets',
  unit: 's',
})
const dependencyFailures = counter('parley.realtime.dependency_failures', {
  description: 'Failed calls to other deployables while opening sockets',
  unit: '{call}',
  labels: ['parley.service'],
})
const log = logger('realtime')

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  return {
    countOpened: () => opened(1),
    countFailed: (code: string) => failed(1, { 'parley.reason': code }),
    countEnded: (code: string) => {
      ended(1, { 'parley.reason': code })
      if (code === slowConsumer.code) slowConsumers(1)
    },
    countResumed: () => resumes(1),
    countRefusedResume: (reason: ReplayRefusal) => resets(1, { 'parley.reason': reason }),
    countPublished: (event: Event) => {
      published(1, { 'parley.event.kind': event.kind })
      if (event.occurredAt) lag(Math.max(0, Date.now() - timestampMs(event.occurredAt)) / 1000)
    },
    reportDependencyFailure: (service: string, error: unknown) => {
      dependencyFailures(1, { 'parley.service': service })
      log.warn({ service, err: error }, 'a call to another service failed while sockets were being opened')
    },
    reportOpeningFailure: (error: unknown) => log.error({ err: error }, 'a socket could not be opened'),
    reportEventFailure: ({ id, kind }: Event, error: unknown) =>
      log.error({ err: error, eventId: id, kind }, 'an event could not be delivered; all sockets are reset'),
    reportUnreadableHint: (error: unknown) => log.warn({ err: error }, 'a hint could not be read'),
    reportStreamReset: () => log.warn('the event stream was interrupted; all sockets are reset'),
    observeSockets: (count: () => number) => sockets(count),
  }
}
