import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider, type CollectionResult } from '@opentelemetry/sdk-metrics'
import { declare } from './declarations.ts'
import { resource } from './identity.ts'
import type { LabelName, LabelsOf } from './labels.ts'
import { renameForPrometheus } from './prometheus.ts'

type Description<K extends LabelName> = {
  /** One sentence. */
  description: string
  /** Unit in UCUM notation: `s`, `By`, or the counted thing in braces, such as `{message}`. */
  unit: string
  /** A measurement may lack only `error.type` and `http.response.status_code`. */
  labels?: readonly K[]
}

type Labelled<K extends LabelName> = [K] extends [never] ? [] : [labels: LabelsOf<K>]

const reader = new PrometheusExporter({ preventServerStart: true })
const serializer = new PrometheusSerializer(undefined, false, undefined, false, true)

export const meterProvider = new MeterProvider({ resource, readers: [reader] })
const meter = meterProvider.getMeter('parley')

// The default buckets of OpenTelemetry suit milliseconds; these suit seconds, from one millisecond to ten seconds.
const secondBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Declares a counter; the returned function adds to it. Without labels it is reported from 0 on, so that rates
 * include its first increase; with labels, a series begins with its first addition.
 */
export function counter<K extends LabelName = never>(
  name: string,
  description: Description<K>,
): (n: number, ...labels: Labelled<K>) => void {
  const instrument = meter.createCounter(name, declareMetric(name, 'counter', description))
  if (!description.labels?.length) instrument.add(0)
  return (n, labels?: LabelsOf<K>) => instrument.add(n, labels)
}

/** Bucket limits are in the given unit. */
export function histogram<K extends LabelName = never>(
  name: string,
  { buckets, ...description }: Description<K> & { buckets?: readonly number[] },
): (value: number, ...labels: Labelled<K>) => void {
  const limits = buckets ?? (description.unit === 's' ? secondBuckets : undefined)
  const advice = limits ? { advice: { explicitBucketBoundaries: [...limits] } } : {}
  const instrument = meter.createHistogram(name, { ...declareMetric(name, 'histogram', description), ...advice })
  return (value, labels?: LabelsOf<K>) => instrument.record(value, labels)
}

/**
 * Calls `read` whenever metrics are collected, until the result is disposed. While `read` returns undefined, the last
 * value is reported.
 */
type Observe<K extends LabelName> = (read: () => number | undefined, ...labels: Labelled<K>) => Disposable

/** Declares a value that is read whenever metrics are collected. The returned function starts reading it. */
export function gauge<K extends LabelName = never>(name: string, description: Description<K>): Observe<K> {
  return createObserver(meter.createObservableGauge(name, declareMetric(name, 'gauge', description)))
}

/** Declares a sum that only grows, and that is read whenever metrics are collected, as a gauge is. */
export function sum<K extends LabelName = never>(name: string, description: Description<K>): Observe<K> {
  return createObserver(meter.createObservableCounter(name, declareMetric(name, 'counter', description)))
}

type Observable = ReturnType<typeof meter.createObservableGauge>

function createObserver<K extends LabelName>(instrument: Observable): Observe<K> {
  return (read, labels?: LabelsOf<K>) => {
    const observe: Parameters<Observable['addCallback']>[0] = (result) => {
      const value = read()
      if (value !== undefined) result.observe(value, labels)
    }
    instrument.addCallback(observe)
    return { [Symbol.dispose]: () => instrument.removeCallback(observe) }
  }
}

export const collectMetrics = (): Promise<CollectionResult> => reader.collect()

/** In Prometheus' text format. */
export async function metricsText(): Promise<string> {
  const { resourceMetrics } = await collectMetrics()
  return serializer.serialize(renameForPrometheus(resourceMetrics))
}

function declareMetric<K extends LabelName>(
  name: string,
  kind: 'counter' | 'gauge' | 'histogram',
  { description, unit, labels = [] }: Description<K>,
): { description: string; unit: string } {
  declare({ name, kind, description, unit, labels })
  return { description, unit }
}
