import type { Event } from '@parley/contracts/internal'
import { isRecording, withSpan } from '@parley/telemetry'

type Delivery<Position> = {
  deliver: (event: Event, position: Position) => void
  onFailure: (event: Event, error: unknown) => void
}

/**
 * Calls `onFailure` instead of throwing. If this process records traces and the event has one, the call becomes a span
 * of that trace.
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
