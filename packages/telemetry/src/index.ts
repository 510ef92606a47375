export { logger, type Logger } from './logger.ts'
export { counter, gauge, histogram, metricsText, type Labels } from './metrics.ts'
export { stopTelemetry } from './start.ts'
export { currentTraceparent, withSpan, type SpanOptions } from './trace.ts'
