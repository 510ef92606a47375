import {
  context,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api'

/** Options of a new span. */
export type SpanOptions = {
  /** Default: `internal`. */
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  attributes?: Attributes
  /** A W3C traceparent that came with the work; the span becomes its child. Anything else is ignored. */
  parent?: string | undefined
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}

const nowhere = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
let tracer = trace.getTracer('parley')
let recording = false

/** Sets whether spans are recorded. */
export function setRecording(on: boolean): void {
  recording = on
  tracer = trace.getTracer('parley')
}

/** Runs `fn` inside a span, which ends when it settles; a failure marks the span. Costs nothing without an exporter. */
export async function withSpan<T>(name: string, options: SpanOptions, fn: (span: Span) => Promise<T> | T): Promise<T> {
  if (!recording) return fn(nowhere)
  const parent = options.parent === undefined ? context.active() : contextOf(options.parent)
  const spanOptions = { kind: kinds[options.kind ?? 'internal'], attributes: options.attributes ?? {} }
  return tracer.startActiveSpan(name, spanOptions, parent, async (span) => {
    try {
      return await fn(span)
    } catch (error) {
      // Only the kind of failure: messages may quote what people wrote.
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : typeof error })
      throw error
    } finally {
      span.end()
    }
  })
}

/** The W3C traceparent of the current span, to send along with work for others; empty outside of any trace. */
export function currentTraceparent(): string {
  if (!recording) return ''
  const span = trace.getActiveSpan()?.spanContext()
  if (!span || !isSpanContextValid(span)) return ''
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`
}

/** The ids that connect a log line to its trace. */
export function activeTrace(): { trace_id: string; span_id: string } | undefined {
  if (!recording) return undefined
  const span = trace.getActiveSpan()?.spanContext()
  return span && isSpanContextValid(span) ? { trace_id: span.traceId, span_id: span.spanId } : undefined
}

function contextOf(traceparent: string): Context {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
}
