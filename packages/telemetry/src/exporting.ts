import { context, diag, propagation, trace } from '@opentelemetry/api'
import { logs } from '@opentelemetry/api-logs'
import { envDetector } from '@opentelemetry/resources'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { logDiagnostics } from './diagnostics.ts'
import { startExportingMetrics } from './exporting-metrics.ts'
import { resource } from './identity.ts'
import { emitLogRecord } from './log-records.ts'
import { setLineSink } from './logger.ts'
import { setRecording } from './trace.ts'

/**
 * Starts sending traces, metrics and logs as the OTEL_* variables configure. Returns a function that sends pending data
 * and stops, within the given time.
 */
export async function startExporting(): Promise<(withinMs: number) => Promise<void>> {
  if (!process.env['OTEL_LOG_LEVEL']) logDiagnostics()
  const [traces, logRecords] = [hasEndpoint('TRACES'), hasEndpoint('LOGS')]
  const sdk = new NodeSDK({
    resource,
    // The other detectors read files and run commands for attributes that nobody needs.
    resourceDetectors: [envDetector],
    // Metrics have their own provider, which works without an exporter, and are sent below.
    metricReaders: [],
    instrumentations: [],
    // An empty list, because otherwise the SDK sends to its default URL.
    ...(traces ? {} : { spanProcessors: [] }),
    ...(logRecords ? {} : { logRecordProcessors: [] }),
  })
  sdk.start()
  setRecording(traces && process.env['OTEL_TRACES_EXPORTER'] !== 'none')
  if (logRecords && process.env['OTEL_LOGS_EXPORTER'] !== 'none') setLineSink(emitLogRecord)
  const metricReader = startExportingMetrics(process.env)
  return async (withinMs) => {
    setLineSink(undefined)
    setRecording(false)
    const sent = Promise.allSettled([sdk.shutdown(), metricReader?.shutdown()])
    await Promise.race([sent, wait(withinMs)])
    // Globals cannot be registered twice: without this the next provider would be ignored.
    for (const global of [trace, context, propagation, logs, diag]) global.disable()
  }
}

const hasEndpoint = (signal: 'TRACES' | 'LOGS'): boolean =>
  Boolean(process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] || process.env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`])

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref()
  })
}
