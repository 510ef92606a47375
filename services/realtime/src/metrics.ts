import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { Event } from '@parley/contracts/internal'
import type { ReplayRefusal } from './engines/hub/index.ts'
import { counter, gauge, histogram, logger } from '@parley/telemetry'

const opened = counter('parley_realtime_opened', { description: 'Sockets whose stream started.' })
const failed = counter('parley_realtime_failed', { description: 'Sockets closed for what the client did, by code.' })
const ended = counter('parley_realtime_ended', { description: 'Streams ended by the server, by code.' })
const resumed = counter('parley_realtime_resumes', { description: 'Streams that went on where an earlier one ended.' })
const resumeRefused = counter('parley_realtime_resets', {
  description: 'Streams that could not go on where an earlier one ended, by reason.',
})
const published = counter('parley_realtime_published', { description: 'Frames handed to a topic, by event kind.' })
const age = histogram('parley_realtime_event_age_seconds', {
  description: 'Time from the change to its publication on this node.',
  unit: 's',
})
const dependencyFailures = counter('parley_realtime_dependency_failures', {
  description: 'Questions to another deployable that failed while opening sockets.',
})
const log = logger('realtime')

/** Everything this service counts or logs. */
export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  return {
    opened: () => opened(),
    failed: (code: string) => failed(1, { code }),
    ended: (code: string) => ended(1, { code }),
    resumed: () => resumed(),
    resumeRefused: (reason: ReplayRefusal) => resumeRefused(1, { reason }),
    published: (event: Event) => {
      published(1, { kind: event.kind })
      if (event.occurredAt) age(Math.max(0, Date.now() - timestampMs(event.occurredAt)) / 1000)
    },
    dependencyFailed: (service: string, error: unknown) => {
      dependencyFailures(1, { service })
      log.warn({ service, err: error }, 'sockets could not be opened')
    },
    openingFailed: (error: unknown) => log.error({ err: error }, 'a socket could not be opened'),
    eventFailed: ({ id, kind }: Event, error: unknown) =>
      log.error({ err: error, eventId: id, kind }, 'an event could not be delivered; all sockets are reset'),
    hintUnreadable: (error: unknown) => log.warn({ err: error }, 'a hint could not be read'),
    streamReset: () => log.warn('the event stream was interrupted; all sockets are reset'),
    sockets: (count: () => number) =>
      gauge('parley_realtime_sockets', { description: 'Sockets past their hello on this node.' }, count),
  }
}
