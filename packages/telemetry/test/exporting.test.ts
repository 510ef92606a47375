import { describe, expect, test } from '@jest/globals'
import { OtlpReceiver } from '@parley/tooling/otlp-receiver'
import { serverVersion } from '../src/version.ts'
import { runProgram } from './_program.ts'

test('traces and logs reach the collector and belong together', async () => {
  await using collector = await OtlpReceiver.start()
  const lines = await runProgram('speak', {
    ...collector.env,
    TEST_STOP_WITHIN_MS: '60000',
  })
  const span = (name: string) => collector.spans.find((candidate) => candidate.name === name)

  const traceId = '0af7651916cd43dd8448eb211c80319c'
  expect(span('outer')).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' })
  expect(span('inner')).toMatchObject({ traceId, parentSpanId: span('outer')?.spanId })
  expect(lines[1]).toMatchObject({
    trace_id: traceId,
    span_id: span('inner')?.spanId,
    traceparent: `00-${traceId}-${span('inner')?.spanId}-01`,
  })
  expect(new Set(collector.spans.map(({ version }) => version))).toEqual(new Set([serverVersion]))
  expect(span('failing')).toMatchObject({ isFailed: true, attributes: { 'error.type': 'TypeError' } })

  const record = collector.logs.find(({ body }) => body.stringValue === 'inside')
  expect(record).toMatchObject({ traceId, spanId: span('inner')?.spanId, severityText: 'warn' })
  expect(JSON.stringify([collector.logs, collector.spans])).not.toContain('hunter2')
})

test('work that is done for several traces continues the first sampled one, and links to the others', async () => {
  await using collector = await OtlpReceiver.start()
  await runProgram('speak', { ...collector.env, TEST_STOP_WITHIN_MS: '60000' })
  const together = collector.spans.find(({ name }) => name === 'together')
  expect(together).toMatchObject({ traceId: '2'.repeat(32), parentSpanId: '2'.repeat(16) })
  expect(together?.links.map(({ traceId }) => traceId)).toEqual(['1'.repeat(32), '3'.repeat(32)])
})

test('background work begun during a request is not in the trace of the request; a bound callback is', async () => {
  await using collector = await OtlpReceiver.start()
  await runProgram('speak', { ...collector.env, TEST_STOP_WITHIN_MS: '60000' })
  const span = (name: string) => collector.spans.find((candidate) => candidate.name === name)
  expect(span('background')?.traceId).not.toBe(span('outer')?.traceId)
  expect(span('callback')?.traceId).toBe(span('outer')?.traceId)
})

describe('the sampling of traces', () => {
  const names = async (sampler: string, ratio: string) => {
    await using collector = await OtlpReceiver.start()
    const sampling = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio }
    const lines = await runProgram('speak', { ...collector.env, ...sampling, TEST_STOP_WITHIN_MS: '60000' })
    return { names: collector.spans.map(({ name }) => name), lines }
  }

  test('is decided where a trace begins, and other processes follow that decision', async () => {
    const found = await names('parentbased_traceidratio', '0')
    expect(found.names.sort()).toEqual(['callback', 'inner', 'outer', 'together'])
    expect(found.lines[1]).toHaveProperty('trace_id')
  })

  test('can be configured to ignore the decision of clients', async () => {
    expect((await names('traceidratio', '0')).names).toEqual([])
  })

  test('creates no spans inside a span that is not sampled', async () => {
    const outside = ({ lines }: Awaited<ReturnType<typeof names>>) => lines[1]?.['outer']
    const inside = ({ lines }: Awaited<ReturnType<typeof names>>) => lines[1]?.['traceparent']
    const [sampled, unsampled] = [await names('traceidratio', '1'), await names('traceidratio', '0')]
    expect(inside(sampled)).not.toEqual(outside(sampled))
    expect(inside(unsampled)).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-\w{16}-00$/)
    expect(inside(unsampled)).toEqual(outside(unsampled))
  })
})

test('metrics reach the collector under the names in the code', async () => {
  await using collector = await OtlpReceiver.start()
  await runProgram('speak', {
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/v1/metrics`,
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json',
    TEST_STOP_WITHIN_MS: '60000',
  })
  const spoken = collector.metrics.find(({ name }) => name === 'test.spoken')
  expect(spoken).toMatchObject({ unit: 's', sum: { dataPoints: [{ asDouble: 3 }] } })
  expect(collector.metrics.map(({ name }) => name)).toContain('process.memory.usage')
  expect(collector.spans).toEqual([])
})

test('traces, logs and metrics of a process have the same instance id', async () => {
  await using collector = await OtlpReceiver.start()
  await runProgram('speak', { ...collector.env, TEST_STOP_WITHIN_MS: '60000' })
  const counts = [collector.spans, collector.logs, collector.metrics].map(({ length }) => length)
  expect(Math.min(...counts)).toBeGreaterThan(0)
  expect(collector.instances.size).toBe(1)
})

test('OTEL_SERVICE_NAME changes the name sent to a collector; log lines keep the name of the deployable', async () => {
  await using collector = await OtlpReceiver.start()
  const names = { PARLEY_SERVICE: 'rooms', OTEL_SERVICE_NAME: 'chat' }
  const lines = await runProgram('speak', { ...collector.env, ...names, TEST_STOP_WITHIN_MS: '60000' })
  expect(new Set(lines.map((line) => line['service']))).toEqual(new Set(['rooms']))
  expect(new Set(collector.spans.map(({ service }) => service))).toEqual(new Set(['chat']))
})

test('metrics are not exported over OTLP if the environment selects another exporter', async () => {
  await using collector = await OtlpReceiver.start()
  await runProgram('speak', {
    ...collector.env,
    OTEL_METRICS_EXPORTER: 'none',
    TEST_STOP_WITHIN_MS: '60000',
  })
  expect(collector.spans.length).toBeGreaterThan(0)
  expect(collector.metrics).toEqual([])
})

test('an unreachable collector does not prevent the process from ending', async () => {
  const lines = await runProgram('speak', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
  expect(lines.filter((line) => line['name'] === 'test')).toHaveLength(2)
})

describe('the log says', () => {
  const warnings = async (env: NodeJS.ProcessEnv) => {
    const lines = await runProgram('speak', { ...env, TEST_STOP_WITHIN_MS: '60000' })
    return lines.filter((line) => line['name'] === 'opentelemetry' && line['level'] === 'warn').map(({ msg }) => msg)
  }

  const gone = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_TIMEOUT: '1000' }

  test('once that a collector cannot be reached', async () => {
    const messages = await warnings(gone)
    expect(messages).toContainEqual(expect.stringContaining('ECONNREFUSED'))
    expect(new Set(messages).size).toBe(messages.length)
  })

  test('that a URL is invalid, or a protocol or a sampler is unknown', async () => {
    expect(await warnings({ ...gone, OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' })).not.toEqual([])
    const unknown = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grcp', OTEL_TRACES_SAMPLER: 'parentbased_traceidratoi' }
    const messages = await warnings({ ...gone, ...unknown })
    expect(messages).toContainEqual(expect.stringMatching(/traces protocol.*grcp/))
    expect(messages).toContainEqual(expect.stringMatching(/metrics protocol.*grcp/))
    expect(messages).toContainEqual(expect.stringContaining('parentbased_traceidratoi'))
  })
})
