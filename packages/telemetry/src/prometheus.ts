import type { ResourceMetrics } from '@opentelemetry/sdk-metrics'

// Units in braces only annotate a count, and are not part of the name.
const unitWords: Record<string, string> = { s: 'seconds', By: 'bytes' }

export const prometheusLabel = (name: string): string => name.replaceAll(/\W/g, '_')

/**
 * Name of a metric in Prometheus without what its kind adds (`_total`, `_bucket`, `_sum`, `_count`): the unit becomes
 * the last word, as OpenTelemetry specifies it for all exporters. Other languages and the Collector do the same; the
 * exporter for JavaScript leaves it to us.
 */
export function prometheusName(name: string, unit: string): string {
  const plain = prometheusLabel(name)
  const word = unitWords[unit]
  return word === undefined || plain.endsWith(`_${word}`) ? plain : `${plain}_${word}`
}

export function renameForPrometheus(collected: ResourceMetrics): ResourceMetrics {
  const scopeMetrics = collected.scopeMetrics.map(({ scope, metrics }) => ({
    scope,
    metrics: metrics.map((metric) => {
      const { descriptor } = metric
      const { unit, ...others } = descriptor
      return { ...metric, descriptor: { ...others, unit: '', name: prometheusName(descriptor.name, unit) } }
    }),
  }))
  return { ...collected, scopeMetrics }
}
