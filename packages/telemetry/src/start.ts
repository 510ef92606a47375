import { metrics } from '@opentelemetry/api'
import { ConfigError, defineConfig, processFields } from '@parley/config'
import { meterProvider } from './metrics.ts'
import { processMetrics } from './process-metrics.ts'
import { setJoinClientTraces } from './trace.ts'

let stopExporting: ((withinMs: number) => Promise<void>) | undefined
let processMeasurement: Disposable | undefined

/** Starts the metrics of the process and, if a collector is configured, the exporters. */
export async function startTelemetry(env: NodeJS.ProcessEnv): Promise<void> {
  metrics.setGlobalMeterProvider(meterProvider)
  processMeasurement ??= processMetrics()
  setJoinClientTraces(shouldJoinClientTraces(env))
  if (!hasCollector(env)) return
  // The exporters are most of OpenTelemetry's weight, so they are loaded only if a collector is configured.
  const { startExporting } = await import('./exporting.ts')
  stopExporting = await startExporting()
}

/**
 * Sends pending data and stops telemetry. Call it last: an unreachable collector delays the exit by `withinMs` at most.
 */
export async function stopTelemetry(withinMs = 2_000): Promise<void> {
  await stopExporting?.(withinMs)
  stopExporting = undefined
  processMeasurement?.[Symbol.dispose]()
  processMeasurement = undefined
}

/** False for an invalid configuration, which is reported by the code that reads all of it. */
function shouldJoinClientTraces(env: NodeJS.ProcessEnv): boolean {
  const { joinClientTraces } = processFields()
  try {
    return defineConfig({ joinClientTraces })({ env }).joinClientTraces
  } catch (error) {
    if (error instanceof ConfigError) return false
    throw error
  }
}

function hasCollector(env: NodeJS.ProcessEnv): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false
  return Boolean(
    env['OTEL_EXPORTER_OTLP_ENDPOINT'] ||
    env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ||
    env['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'] ||
    env['OTEL_EXPORTER_OTLP_LOGS_ENDPOINT'],
  )
}
