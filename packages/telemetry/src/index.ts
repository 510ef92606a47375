export { sharedTickMs, nextSharedTick } from './shared-tick.ts'
export { declarations, type Declaration } from './declarations.ts'
export { oncePerMinute } from './diagnostics.ts'
export { labels, type LabelName, type LabelsOf } from './labels.ts'
export { serviceName } from './identity.ts'
export { lastErrors, logger, type LoggedError, type Logger, setLineSink } from './logger.ts'
export { counter, gauge, histogram, metricsText, sum } from './metrics.ts'
export { prometheusLabel, prometheusName } from './prometheus.ts'
export { startTelemetry, stopTelemetry } from './start.ts'
export { serverVersion } from './version.ts'
export {
  clientTraceparent,
  currentTraceparent,
  bindToTrace,
  withTraceOf,
  isRecording,
  isTraced,
  setJoinClientTraces,
  markFailed,
  withoutTrace,
  withSpan,
  type SpanOptions,
} from './trace.ts'
