import type { Event } from '@parley/contracts/internal'
import { isRecording, withSpan } from '@parley/telemetry'

/** What is done with each event of a batch. */
type Delivery<Place> = {
  push: (event: Event, place: Place) => void
  /** Called with what `push` threw. */
  failed: (event: Event, error: unknown) => void
}

/**
 * Hands an event and its place to `push` within a span of the trace that caused it; events carry a trace only while
 * someone records.
 */
export function traced<Place>(event: Event, place: Place, { push, failed }: Delivery<Place>): void {
  const { traceparent, kind, id } = event
  if (traceparent === '' || !isRecording()) {
    try {
      return push(event, place)
    } catch (error) {
      return failed(event, error)
    }
  }
  const attributes = {
    'messaging.system.name': 'nats',
    'messaging.operation.name': 'deliver',
    'messaging.operation.type': 'process',
    'messaging.message.id': id,
    'parley.event.kind': kind,
  }
  // The work is done when this returns; only the span ends later.
  void withSpan('deliver to sockets', { kind: 'consumer', parent: traceparent, attributes }, () => {
    try {
      push(event, place)
    } catch (error) {
      failed(event, error)
      throw error
    }
  }).catch(() => undefined)
}
