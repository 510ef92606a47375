import { context, propagation, trace } from '@opentelemetry/api'
import { logs } from '@opentelemetry/api-logs'
import { envDetector } from '@opentelemetry/resources'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { resource } from './identity.ts'
import { emitLogRecord } from './log-records.ts'
import { alsoLogTo } from './logger.ts'
import { setRecording } from './trace.ts'

/** Starts sending traces and logs where the OTEL_* variables say; returns what sends the rest and stops it in time. */
export function startExporting(): (withinMs: number) => Promise<void> {
  const sdk = new NodeSDK({
    resource: resource(),
    // The other detectors read files and run commands for attributes that nobody asks for.
    resourceDetectors: [envDetector],
    // Metrics have their own provider, which works without an exporter.
    metricReaders: [],
    instrumentations: [],
  })
  sdk.start()
  setRecording(process.env['OTEL_TRACES_EXPORTER'] !== 'none')
  if (process.env['OTEL_LOGS_EXPORTER'] !== 'none') alsoLogTo(emitLogRecord)
  return async (withinMs) => {
    alsoLogTo(undefined)
    setRecording(false)
    await Promise.race([sdk.shutdown().catch(() => undefined), elapsed(withinMs)])
    // Globals cannot be registered twice: without this the next provider would be ignored.
    for (const global of [trace, context, propagation, logs]) global.disable()
  }
}

function elapsed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref()
  })
}
