import type { Event } from '@parley/contracts/internal'
import { isRecording, withSpan } from '@parley/telemetry'

/** Hands an event to `push` within a span of the trace that caused it; events carry a trace only while someone records. */
export function traced(event: Event, push: () => void): void {
  const { traceparent, kind, id } = event
  if (traceparent === '' || !isRecording()) return push()
  let failure: { reason: unknown } | undefined
  const attributes = {
    'messaging.system.name': 'nats',
    'messaging.operation.name': 'deliver',
    'messaging.operation.type': 'process',
    'messaging.message.id': id,
    'parley.event.kind': kind,
  }
  // The work is done when this returns: only the end of the span comes later.
  void withSpan('deliver to sockets', { kind: 'consumer', parent: traceparent, attributes }, () => {
    try {
      push()
    } catch (reason) {
      failure = { reason }
      throw reason
    }
  }).catch(() => undefined)
  if (failure) throw failure.reason
}
