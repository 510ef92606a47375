import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { freePorts, hasComponents, runCollector } from '../testing/collector.mjs'
import { eventually } from '../testing/eventually.ts'
import { OtlpReceiver } from '../testing/otlp-receiver.ts'

const isThere = hasComponents('tail_sampling')
if (!isThere) console.log('collector: otelcol-contrib with tail_sampling is not on PATH, so sampling.yaml is not run')
const describeRun = isThere ? describe : describe.skip

const quickCount = 400
const hash = (text, length) => createHash('sha256').update(text).digest('hex').slice(0, length)
const traceIdOf = (name) => hash(name, 32)

/** A span that ends now, as OTLP JSON. `system: null` makes it the span of an HTTP request instead of a call. */
function span(trace, name, { tookMs = 10, failed = false, system = 'connectrpc' } = {}) {
  const end = BigInt(Date.now()) * 1_000_000n
  return {
    ...{ traceId: traceIdOf(trace), spanId: hash(`${trace} ${name}`, 16), name, kind: 2 },
    startTimeUnixNano: String(end - BigInt(tookMs) * 1_000_000n),
    endTimeUnixNano: String(end),
    attributes: system ? [{ key: 'rpc.system.name', value: { stringValue: system } }] : [],
    status: failed ? { code: 2 } : {},
  }
}

const resource = (service) => ({ attributes: [{ key: 'service.name', value: { stringValue: service } }] })

/**
 * The Collector with the shipped configuration on other ports, in front of a second one that forwards everything as
 * JSON.
 */
async function start() {
  const [grpc, http, health, backGrpc, backHttp, backHealth] = await freePorts(6)
  const receiver = await OtlpReceiver.start()
  const at = (port) => `127.0.0.1:${port}`
  const listenOn = (grpcPort, httpPort, healthPort) => [
    `yaml:receivers::otlp::protocols::grpc::endpoint: ${at(grpcPort)}`,
    `yaml:receivers::otlp::protocols::http::endpoint: ${at(httpPort)}`,
    `yaml:extensions::health_check::endpoint: ${at(healthPort)}`,
    // The Collector's own metrics would need a port that may be in use.
    'yaml:service::telemetry::metrics::level: none',
  ]
  const pipeline = { receivers: ['otlp'], exporters: ['otlphttp'] }
  const handOn = {
    receivers: { otlp: { protocols: { grpc: {}, http: {} } } },
    exporters: { otlphttp: { endpoint: receiver.url, encoding: 'json', compression: 'none' } },
    extensions: { health_check: {} },
    service: { extensions: ['health_check'], pipelines: { traces: pipeline, metrics: pipeline, logs: pipeline } },
  }
  const back = await runCollector([`yaml:${JSON.stringify(handOn)}`, ...listenOn(backGrpc, backHttp, backHealth)], {
    healthPort: backHealth,
  })
  const backUrl = `http://${at(backHttp)}`
  const sampling = await runCollector(['deploy/collector/sampling.yaml', ...listenOn(grpc, http, health)], {
    healthPort: health,
    env: {
      ...{ TRACES_ENDPOINT: at(backGrpc), TRACES_INSECURE: 'true' },
      ...{ METRICS_ENDPOINT: backUrl, LOGS_ENDPOINT: backUrl },
    },
  })
  const send = async (signal, body) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`http://${at(http)}/v1/${signal}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`the Collector answered ${answer.status}: ${await answer.text()}`)
  }
  return {
    received: receiver,
    send,
    sendSpans: (service, spans) =>
      send('traces', { resourceSpans: [{ resource: resource(service), scopeSpans: [{ spans }] }] }),
    async [Symbol.asyncDispose]() {
      for (const one of [sampling, back, receiver]) await one[Symbol.asyncDispose]()
    },
  }
}

describeRun('with the shipped configuration', () => {
  let collector
  const namesOf = (trace) =>
    collector.received.spans
      .filter(({ traceId }) => traceId === traceIdOf(trace))
      .map(({ name }) => name)
      .sort()
  const isKept = (trace) => namesOf(trace).length > 0
  const quick = Array.from({ length: quickCount }, (_, n) => `quick ${n}`)
  const slowBehind = Array.from({ length: 20 }, (_, n) => `slow behind ${n}`)

  const renamed = ['slow request under another name', 'slow file']

  beforeAll(async () => {
    collector = await start()
    const { send, sendSpans } = collector
    await sendSpans('gateway', [
      ...['failed', ...quick, ...slowBehind].map((trace) => span(trace, 'call')),
      span('slow', 'call'),
      span('slow request', 'call', { tookMs: 600 }),
    ])
    await sendSpans('compact', [
      span('slow request of one process', 'call', { tookMs: 600 }),
      ...slowBehind.map((trace) => span(`compact ${trace}`, 'write', { tookMs: 600, system: 'nats' })),
    ])
    // Deployables that are renamed by OTEL_SERVICE_NAME.
    await sendSpans('chat-entry', [span('slow request under another name', 'call', { tookMs: 600 })])
    await sendSpans('chat-files', [span('slow file', 'GET /assets', { tookMs: 600, system: null })])
    await sendSpans('messaging', [
      span('failed', 'write', { failed: true }),
      span('slow', 'write', { tookMs: 1_500 }),
      ...['slow request', ...quick].map((trace) => span(trace, 'write')),
      ...slowBehind.map((trace) => span(trace, 'write', { tookMs: 600, system: 'nats' })),
    ])
    const now = String(BigInt(Date.now()) * 1_000_000n)
    const scope = { scope: { name: 'test' } }
    const sum = { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ asInt: '1', timeUnixNano: now }] }
    await send('metrics', {
      resourceMetrics: [
        { resource: resource('gateway'), scopeMetrics: [{ ...scope, metrics: [{ name: 'calls', sum }] }] },
      ],
    })
    const logRecords = [{ timeUnixNano: now, severityText: 'info', body: { stringValue: 'a line' } }]
    await send('logs', { resourceLogs: [{ resource: resource('gateway'), scopeLogs: [{ ...scope, logRecords }] }] })
    // The sampler decides after ten seconds.
    const kept = ['failed', 'slow', 'slow request', 'slow request of one process', ...renamed]
    await eventually(() => expect(kept.filter((trace) => !isKept(trace))).toEqual([]))
    await sendSpans(
      'notifications',
      ['failed', ...quick].map((trace) => span(trace, 'late push')),
    )
    await eventually(() => expect(namesOf('failed')).toContain('late push'))
  })
  afterAll(() => collector?.[Symbol.asyncDispose]())

  test('traces with an error are kept whole, including spans that arrive after the decision', () => {
    expect(namesOf('failed')).toEqual(['call', 'late push', 'write'])
  })

  test('slow traces and slow requests are kept whole', () => {
    expect(namesOf('slow')).toEqual(['call', 'write'])
    expect(namesOf('slow request')).toEqual(['call', 'write'])
    expect(namesOf('slow request of one process')).toEqual(['call'])
    expect(renamed.filter((trace) => !isKept(trace))).toEqual([])
  })

  test('about 5 % of the other traces are kept, also whole', () => {
    const kept = quick.filter(isKept)
    console.log(`collector: kept ${kept.length} of ${quickCount} quick traces`)
    // One in a hundred thousand random samples would be outside these limits; the ids are always the same.
    expect(kept.length).toBeGreaterThanOrEqual(5)
    expect(kept.length).toBeLessThanOrEqual(42)
    for (const trace of kept) expect(namesOf(trace)).toEqual(['call', 'late push', 'write'])
  })

  test('a span inside the fleet that takes 0.6 s does not make its trace slow', () => {
    for (const traces of [slowBehind, slowBehind.map((trace) => `compact ${trace}`)])
      expect(traces.filter(isKept).length).toBeLessThan(traces.length / 2)
  })

  test('metrics and log records are forwarded', async () => {
    await eventually(() => {
      expect(collector.received.metrics.map(({ name }) => name)).toContain('calls')
      expect(collector.received.logs.map(({ body }) => body.stringValue)).toContain('a line')
    })
  })
})
