import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { runProgram } from './_program.ts'

type Span = { name: string; traceId: string; spanId: string; parentSpanId?: string; status: { message?: string } }
type LogRecord = { body: { stringValue: string }; traceId: string; spanId: string; severityText: string }
type Metric = { name: string; unit: string; sum?: { dataPoints: { asDouble?: number; asInt?: number }[] } }
type Batch = {
  resourceSpans?: { scopeSpans: { spans: Span[] }[] }[]
  resourceLogs?: { scopeLogs: { logRecords: LogRecord[] }[] }[]
  resourceMetrics?: { scopeMetrics: { metrics: Metric[] }[] }[]
}

/** A stand-in for an OpenTelemetry collector. */
async function startCollector() {
  const batches: Batch[] = []
  const server = createServer((request, response) => {
    void json(request).then((batch) => {
      batches.push(batch as Batch)
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    spans: () => batches.flatMap((b) => b.resourceSpans ?? []).flatMap((r) => r.scopeSpans.flatMap((s) => s.spans)),
    metrics: () =>
      batches.flatMap((b) => b.resourceMetrics ?? []).flatMap((r) => r.scopeMetrics.flatMap((s) => s.metrics)),
    logs: () => batches.flatMap((b) => b.resourceLogs ?? []).flatMap((r) => r.scopeLogs.flatMap((s) => s.logRecords)),
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

test('traces and logs reach the collector and belong together', async () => {
  using collector = await startCollector()
  const lines = await runProgram('speak', {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    TEST_STOP_WITHIN_MS: '60000',
  })
  const span = (name: string) => collector.spans().find((candidate) => candidate.name === name)

  const traceId = '0af7651916cd43dd8448eb211c80319c'
  expect(span('outer')).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' })
  expect(span('inner')).toMatchObject({ traceId, parentSpanId: span('outer')?.spanId })
  expect(lines[1]).toMatchObject({
    trace_id: traceId,
    span_id: span('inner')?.spanId,
    traceparent: `00-${traceId}-${span('inner')?.spanId}-01`,
  })
  expect(span('failing')?.status).toMatchObject({ message: 'TypeError' })

  const record = collector.logs().find(({ body }) => body.stringValue === 'inside')
  expect(record).toMatchObject({ traceId, spanId: span('inner')?.spanId, severityText: 'warn' })
  expect(JSON.stringify([collector.logs(), collector.spans()])).not.toContain('hunter2')
})

test('metrics reach the collector under their own names', async () => {
  using collector = await startCollector()
  await runProgram('speak', {
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/v1/metrics`,
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json',
    TEST_STOP_WITHIN_MS: '60000',
  })
  const spoken = collector.metrics().find(({ name }) => name === 'test.spoken')
  expect(spoken).toMatchObject({ unit: 's', sum: { dataPoints: [{ asDouble: 3 }] } })
  expect(collector.metrics().map(({ name }) => name)).toContain('process.memory.usage')
  expect(collector.spans()).toEqual([])
})

test('metrics stay where they are if another exporter is asked for', async () => {
  using collector = await startCollector()
  await runProgram('speak', {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRICS_EXPORTER: 'none',
    TEST_STOP_WITHIN_MS: '60000',
  })
  expect(collector.spans().length).toBeGreaterThan(0)
  expect(collector.metrics()).toEqual([])
})

test('a collector that is gone does not keep the process from ending', async () => {
  const lines = await runProgram('speak', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
  expect(lines).toHaveLength(2)
})
