import {
  context,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Link,
  type Span,
  type SpanContext,
} from '@opentelemetry/api'

export type SpanOptions = {
  /** Default: `internal`. */
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  /** Kinds, counts, codes and ids; never what people wrote, names, addresses or secrets. */
  attributes?: Attributes
  /** A W3C traceparent that came with the work: the span becomes its child; with any other text it begins a trace. */
  parent?: string | undefined
  /**
   * W3C traceparents of several pieces of work that are done together: the span becomes a child of the first that is
   * sampled, or else of the first, and links to the others. Instead of `parent`.
   */
  joined?: readonly string[]
  /**
   * Returns the kind of a failure for `error.type`; undefined if it is not a failure of this program, so that the span
   * is not marked. Default: the code of the error if it is a string, otherwise its name.
   */
  failure?: (error: unknown) => string | undefined
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}

const noSpan = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
let tracer = trace.getTracer('parley')
let recording = false
let joinsClientTraces = false

export function setRecording(on: boolean): void {
  recording = on
  tracer = trace.getTracer('parley')
}

export function setJoinClientTraces(join: boolean): void {
  joinsClientTraces = join
}

/**
 * The W3C traceparent that a client sent, or empty if traces of clients are not continued: a client that chooses the id
 * of a trace also decides whether it is recorded.
 */
export const clientTraceparent = (sent: string | undefined): string => (joinsClientTraces ? (sent ?? '') : '')

/**
 * Runs `fn` inside a span, which ends when `fn` settles; a failure marks the span with its kind. Creates no span if
 * there is no exporter, or if the parent is a span of this process that is not sampled.
 */
export async function withSpan<T>(name: string, options: SpanOptions, fn: (span: Span) => Promise<T> | T): Promise<T> {
  if (!recording) return fn(noSpan)
  const unsampled = unsampledParent(options)
  if (unsampled !== undefined) return fn(unsampled)
  const { parent, links } = relationsOf(options)
  const spanOptions = { kind: kinds[options.kind ?? 'internal'], attributes: options.attributes ?? {}, links }
  return tracer.startActiveSpan(name, spanOptions, parent, async (span) => {
    try {
      return await fn(span)
    } catch (error) {
      // Only the kind of failure: messages may quote what people wrote.
      const type = (options.failure ?? kindOfFailure)(error)
      if (type !== undefined) markFailed(span, type)
      throw error
    } finally {
      span.end()
    }
  })
}

/** `type` is the kind of failure, never a message. */
export function markFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
}

export const isRecording = (): boolean => recording

/**
 * Whether the current work belongs to a recorded span. Checked before creating spans that are not worth a separate
 * trace.
 */
export function isTraced(): boolean {
  return recording && (trace.getActiveSpan()?.isRecording() ?? false)
}

/**
 * Calls `fn` outside of any trace: for background work that happens to begin while a request runs, and would otherwise
 * belong to its trace as long as the process lives.
 */
export function withoutTrace<T>(fn: () => T): T {
  return recording ? context.with(ROOT_CONTEXT, fn) : fn()
}

/** Calls `fn` in the trace of a W3C traceparent, without a span: for log lines about work whose span has ended. */
export function withTraceOf<T>(traceparent: string, fn: () => T): T {
  return recording ? context.with(contextOf(traceparent), fn) : fn()
}

/** Returns `fn` bound to the current trace: for callbacks that are called from unrelated work. */
export function bindToTrace<F extends (...args: never[]) => unknown>(fn: F): F {
  return recording ? context.bind(context.active(), fn) : fn
}

/** The W3C traceparent of the current span, to send along with work for others; empty outside of any trace. */
export function currentTraceparent(): string {
  if (!recording) return ''
  const span = trace.getActiveSpan()?.spanContext()
  if (!span || !isSpanContextValid(span)) return ''
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`
}

export function activeTrace(): { trace_id: string; span_id: string } | undefined {
  if (!recording) return undefined
  const span = trace.getActiveSpan()?.spanContext()
  return span && isSpanContextValid(span) ? { trace_id: span.traceId, span_id: span.spanId } : undefined
}

/** The current span, if it is the parent and not sampled: every sampler then leaves out the new span, too. */
function unsampledParent({ parent, joined }: SpanOptions): Span | undefined {
  if (parent !== undefined || joined !== undefined) return undefined
  const span = trace.getActiveSpan()
  if (span === undefined) return undefined
  const spanContext = span.spanContext()
  const isSampled = (spanContext.traceFlags & TraceFlags.SAMPLED) !== 0
  return isSpanContextValid(spanContext) && !isSampled && spanContext.isRemote !== true ? span : undefined
}

function relationsOf({ parent, joined }: SpanOptions): { parent: Context; links: Link[] } {
  if (joined === undefined) return { parent: parent === undefined ? context.active() : contextOf(parent), links: [] }
  const joins = [...new Set(joined)].flatMap((one) => spanContextOf(one) ?? [])
  const first = joins.find(({ traceFlags }) => traceFlags & TraceFlags.SAMPLED) ?? joins[0]
  return {
    parent: first === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, first),
    links: joins.filter((one) => one !== first).map((one) => ({ context: one })),
  }
}

function contextOf(traceparent: string): Context {
  const parent = spanContextOf(traceparent)
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
}

function spanContextOf(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(found) ? found : undefined
}

function kindOfFailure(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
