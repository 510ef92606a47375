import type { Attributes } from '@opentelemetry/api'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { resource } from './identity.ts'

/** Labels of a measurement. They must be few and never personal: no ids, no text. */
export type Labels = Attributes

type Description = {
  /** Description of the metric, one sentence. */
  description: string
  /** `s`, `ms`, `By`: the name gets it as its last word (`seconds`, `milliseconds`, `bytes`). Others change no name. */
  unit?: string
}

const reader = new PrometheusExporter({ preventServerStart: true })
const serializer = new PrometheusSerializer(undefined, false, undefined, false, true)

/** The provider of all metrics of this process. */
export const meterProvider = new MeterProvider({ resource: resource(), readers: [reader] })
const meter = meterProvider.getMeter('parley')

// The default buckets of OpenTelemetry suit milliseconds; these suit seconds, from one millisecond to ten seconds.
const secondBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Declares a counter; the returned function adds to it (one, unless told otherwise). */
export function counter(name: string, description: Description): (n?: number, labels?: Labels) => void {
  const instrument = meter.createCounter(fullName(name, description.unit), description)
  return (n = 1, labels) => instrument.add(n, labels)
}

/** Declares a histogram; the returned function records one value. Bucket limits are in the given unit. */
export function histogram(
  name: string,
  { buckets, ...description }: Description & { buckets?: readonly number[] },
): (value: number, labels?: Labels) => void {
  const limits = buckets ?? (description.unit === 's' ? secondBuckets : undefined)
  const advice = limits ? { advice: { explicitBucketBoundaries: [...limits] } } : {}
  const instrument = meter.createHistogram(fullName(name, description.unit), { ...description, ...advice })
  return (value, labels) => instrument.record(value, labels)
}

/** Declares a value that is read whenever metrics are collected, until the result is disposed. */
export function gauge(
  name: string,
  { labels, ...description }: Description & { labels?: Labels },
  read: () => number,
): Disposable {
  const instrument = meter.createObservableGauge(fullName(name, description.unit), description)
  const observe: Parameters<typeof instrument.addCallback>[0] = (result) => result.observe(read(), labels)
  instrument.addCallback(observe)
  return { [Symbol.dispose]: () => instrument.removeCallback(observe) }
}

/** All metrics of this process in Prometheus' text format. */
export async function metricsText(): Promise<string> {
  const { resourceMetrics } = await reader.collect()
  return serializer.serialize(resourceMetrics)
}

const unitWords: Record<string, string> = { s: 'seconds', ms: 'milliseconds', By: 'bytes' }

function fullName(name: string, unit = ''): string {
  const word = unitWords[unit]
  return word === undefined || name.endsWith(word) ? name : `${name}_${word}`
}
