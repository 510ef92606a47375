import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

type Value = { stringValue?: string; boolValue?: boolean; intValue?: number | string; doubleValue?: number }
type Attribute = { key: string; value: Value }
type Resource = { attributes: Attribute[] }
type OtlpSpan = {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes?: Attribute[]
  links?: { traceId: string; spanId: string }[]
  status: { code?: number; message?: string }
}
type LogRecord = { body: { stringValue: string }; traceId?: string; spanId?: string; severityText: string }
type Metric = { name: string; unit: string; sum?: { dataPoints: { asDouble?: number; asInt?: number }[] } }
type Batch = {
  resourceSpans?: { resource: Resource; scopeSpans: { spans: OtlpSpan[] }[] }[]
  resourceLogs?: { resource: Resource; scopeLogs: { logRecords: LogRecord[] }[] }[]
  resourceMetrics?: { resource: Resource; scopeMetrics: { metrics: Metric[] }[] }[]
}

export type ReceivedSpan = Omit<OtlpSpan, 'attributes' | 'links' | 'kind'> & {
  service: string
  version: string
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  attributes: Record<string, string | number | boolean | undefined>
  links: { traceId: string; spanId: string }[]
  isFailed: boolean
}

const kinds = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const

/** A fake OpenTelemetry Collector: OTLP over HTTP, encoded in JSON. */
export class OtlpReceiver implements AsyncDisposable {
  readonly batches: Batch[] = []
  #names: string[] = []
  readonly #server = createServer((request, response) => {
    void json(request).then((batch) => {
      this.batches.push(batch as Batch)
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver()
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  /** The exporters of this process send to the receiver until it is disposed. Start telemetry afterwards. */
  static async startForThisProcess(): Promise<OtlpReceiver> {
    const receiver = await OtlpReceiver.start()
    Object.assign(process.env, receiver.env)
    receiver.#names = Object.keys(receiver.env)
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get env(): { OTEL_EXPORTER_OTLP_ENDPOINT: string; OTEL_EXPORTER_OTLP_PROTOCOL: string } {
    return { OTEL_EXPORTER_OTLP_ENDPOINT: this.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
  }

  get spans(): ReceivedSpan[] {
    return this.batches
      .flatMap(({ resourceSpans = [] }) => resourceSpans)
      .flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) => spans.map((span) => toSpan(span, resource))),
      )
  }

  get metrics(): Metric[] {
    return this.batches
      .flatMap(({ resourceMetrics = [] }) => resourceMetrics)
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  }

  get logs(): (LogRecord & { service: string })[] {
    return this.batches
      .flatMap(({ resourceLogs = [] }) => resourceLogs)
      .flatMap(({ resource, scopeLogs }) =>
        scopeLogs.flatMap(({ logRecords }) =>
          logRecords.map((record) => ({ ...record, service: serviceOf(resource) })),
        ),
      )
  }

  get instances(): Set<string> {
    const resources = this.batches.flatMap(({ resourceSpans = [], resourceLogs = [], resourceMetrics = [] }) =>
      [...resourceSpans, ...resourceLogs, ...resourceMetrics].map(({ resource }) => resource),
    )
    return new Set(resources.map((resource) => attributeOf(resource, 'service.instance.id')))
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const name of this.#names) delete process.env[name]
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }
}

function toSpan({ attributes = [], links = [], kind, ...span }: OtlpSpan, resource: Resource): ReceivedSpan {
  return {
    ...span,
    service: serviceOf(resource),
    version: attributeOf(resource, 'service.version'),
    links: links.map(({ traceId, spanId }) => ({ traceId, spanId })),
    kind: kinds[kind] ?? 'internal',
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)])),
    isFailed: span.status.code === 2,
  }
}

const attributeOf = ({ attributes }: Resource, name: string): string =>
  attributes.find(({ key }) => key === name)?.value.stringValue ?? ''

const serviceOf = (resource: Resource): string => attributeOf(resource, 'service.name')

function plain({ stringValue, boolValue, intValue, doubleValue }: Value): string | number | boolean | undefined {
  return stringValue ?? boolValue ?? doubleValue ?? (intValue === undefined ? undefined : Number(intValue))
}
