import { PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics'
import { collectMetrics } from './metrics.ts'

const defaultIntervalMs = 60_000
const defaultTimeoutMs = 30_000

/**
 * Sends the metrics of this process to a collector as well, as sums since its start: the same collection serves both
 * ways. Undefined if none is configured for metrics.
 */
export async function startExportingMetrics(
  env: NodeJS.ProcessEnv,
): Promise<PeriodicExportingMetricReader | undefined> {
  if (!env['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'] && !env['OTEL_EXPORTER_OTLP_ENDPOINT']) return undefined
  if (!(env['OTEL_METRICS_EXPORTER'] || 'otlp').split(',').includes('otlp')) return undefined
  const protocol = env['OTEL_EXPORTER_OTLP_METRICS_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL']
  const exportIntervalMillis = milliseconds(env['OTEL_METRIC_EXPORT_INTERVAL'], defaultIntervalMs)
  const timeoutMs = milliseconds(env['OTEL_METRIC_EXPORT_TIMEOUT'], defaultTimeoutMs)
  const reader = new PeriodicExportingMetricReader({
    exporter: await exporterFor(protocol),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(timeoutMs, exportIntervalMillis),
  })
  reader.setMetricProducer({ collect: collectMetrics })
  return reader
}

async function exporterFor(protocol: string | undefined): Promise<PushMetricExporter> {
  switch (protocol) {
    case 'grpc': {
      const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-grpc')
      return new OTLPMetricExporter()
    }
    case 'http/json': {
      const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-http')
      return new OTLPMetricExporter()
    }
    default: {
      const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-proto')
      return new OTLPMetricExporter()
    }
  }
}

function milliseconds(setting: string | undefined, otherwise: number): number {
  const value = Number(setting)
  return value > 0 ? value : otherwise
}
