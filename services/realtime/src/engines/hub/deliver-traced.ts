import type { Event } from '@parley/contracts/internal'
import { isRecording, withSpan } from '@parley/telemetry'

type Delivery<Position> = {
  deliver: (event: Event, position: Position) => void
  /** Called with the error that `deliver` threw. */
  onFailure: (event: Event, error: unknown) => void
}

/**
 * Calls `deliver` for an event, in a span that belongs to the trace of the change. Events carry a trace only while
 * traces are recorded.
 */
export function deliverTraced<Position>(
  event: Event,
  position: Position,
  { deliver, onFailure }: Delivery<Position>,
): void {
  const { traceparent, kind, id } = event
  if (traceparent === '' || !isRecording()) {
    try {
      return deliver(event, position)
    } catch (error) {
      return onFailure(event, error)
    }
  }
  const attributes = {
    'messaging.system.name': 'nats',
    'messaging.operation.name': 'deliver',
    'messaging.operation.type': 'process',
    'messaging.message.id': id,
    'parley.event.kind': kind,
  }
  // Delivery is complete when this call returns; only the span ends later.
  void withSpan('deliver to sockets', { kind: 'consumer', parent: traceparent, attributes }, () => {
    try {
      deliver(event, position)
    } catch (error) {
      onFailure(event, error)
      throw error
    }
  }).catch(() => undefined)
}
