import { diag } from '@opentelemetry/api'
// Not loaded on demand: the SDK loads them anyway, and in a bundle a dynamic import of CommonJS has no named exports.
import { OTLPMetricExporter as GrpcExporter } from '@opentelemetry/exporter-metrics-otlp-grpc'
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics'
import { collectMetrics } from './metrics.ts'

const defaultIntervalMs = 60_000
const defaultTimeoutMs = 30_000

/**
 * Starts sending metrics, which are cumulative, as for Prometheus. Returns undefined if no collector is configured for
 * metrics, or `OTEL_METRICS_EXPORTER` does not contain `otlp`.
 */
export function startExportingMetrics(env: NodeJS.ProcessEnv): PeriodicExportingMetricReader | undefined {
  if (!env['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'] && !env['OTEL_EXPORTER_OTLP_ENDPOINT']) return undefined
  const exporters = (env['OTEL_METRICS_EXPORTER'] || 'otlp').split(',').map((name) => name.trim())
  if (!exporters.includes('otlp')) return undefined
  const protocol = env['OTEL_EXPORTER_OTLP_METRICS_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL']
  const exportIntervalMillis = milliseconds(env['OTEL_METRIC_EXPORT_INTERVAL'], defaultIntervalMs)
  const timeoutMs = milliseconds(env['OTEL_METRIC_EXPORT_TIMEOUT'], defaultTimeoutMs)
  const reader = new PeriodicExportingMetricReader({
    exporter: exporterFor(protocol),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(timeoutMs, exportIntervalMillis),
  })
  reader.setMetricProducer({ collect: collectMetrics })
  return reader
}

function exporterFor(protocol: string | undefined): PushMetricExporter {
  switch (protocol) {
    case 'grpc':
      return new GrpcExporter()
    case 'http/json':
      return new JsonExporter()
    default:
      if (protocol && protocol !== 'http/protobuf')
        diag.warn(`Unsupported OTLP metrics protocol: "${protocol}". Using http/protobuf.`)
      return new ProtobufExporter()
  }
}

function milliseconds(setting: string | undefined, fallback: number): number {
  const value = Number(setting)
  return value > 0 ? value : fallback
}
