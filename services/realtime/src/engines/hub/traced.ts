import type { Event } from '@parley/contracts/internal'
import { withSpan } from '@parley/telemetry'

/** Hands an event to `push` within a span of the trace that caused it; events carry a trace only while someone records. */
export function traced(event: Event, push: () => void): void {
  const { traceparent, kind, id } = event
  if (traceparent === '') return push()
  let failure: { reason: unknown } | undefined
  const span = { kind: 'producer', parent: traceparent, attributes: { 'parley.event.id': id } } as const
  // The work is done when this returns: only the end of the span comes later.
  void withSpan(`push ${kind}`, span, () => {
    try {
      push()
    } catch (reason) {
      failure = { reason }
      throw reason
    }
  }).catch(() => undefined)
  if (failure) throw failure.reason
}
