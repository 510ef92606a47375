import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { AdminInternalService } from '@parley/contracts/internal'
import { currentTraceparent, startTelemetry, stopTelemetry, withSpan } from '@parley/telemetry'
import { OtlpReceiver } from '@parley/tooling/otlp-receiver'
import { startFleet } from './_fleet.ts'

let collector: OtlpReceiver

beforeEach(async () => {
  collector = await OtlpReceiver.startForThisProcess()
  await startTelemetry(process.env)
})
afterAll(() => stopTelemetry())

/** The spans recorded since the test began. */
async function readSpans() {
  await stopTelemetry()
  await collector[Symbol.asyncDispose]()
  return collector.spans
}

const given = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }
const traceparent = `00-${given.trace}-${given.span}-01`
const name = 'svc.internal.v1.AdminInternalService/CheckLogin'
const { checkLogin } = AdminInternalService.method

async function withService(fleet: Awaited<ReturnType<typeof startFleet>>, answer: () => object) {
  await fleet.serve({
    deployable: 'gateway',
    routes: (routes) => routes.service(AdminInternalService, { checkLogin: () => answer() }),
  })
  return fleet.client()
}

test('caller, call and handler belong to one trace', async () => {
  await using fleet = await startFleet()
  let inside = ''
  const rpc = await withService(fleet, () => {
    inside = currentTraceparent()
    return {}
  })
  await withSpan('work', {}, () => createClient(AdminInternalService, rpc.transport()).checkLogin({}))
  const sent = await readSpans()
  const [work, client, server] = [
    sent.find((span) => span.name === 'work'),
    sent.find((span) => span.name === name && span.kind === 'client'),
    sent.find((span) => span.name === name && span.kind === 'server'),
  ]
  expect(client).toMatchObject({ traceId: work?.traceId, parentSpanId: work?.spanId, isFailed: false })
  expect(server).toMatchObject({ traceId: work?.traceId, parentSpanId: client?.spanId, isFailed: false })
  expect(server?.attributes).toEqual({ 'rpc.system.name': 'nats', 'rpc.method': name })
  expect(inside.split('-')[1]).toBe(work?.traceId)
})

test('a forwarded call continues the trace of its request', async () => {
  await using fleet = await startFleet()
  const rpc = await withService(fleet, () => ({}))
  await rpc.call(checkLogin, new Uint8Array(), { timeoutMs: 30_000, traceparent })
  const sent = await readSpans()
  const [client] = sent.filter(({ kind }) => kind === 'client')
  expect(client).toMatchObject({ traceId: given.trace, parentSpanId: given.span })
  expect(sent.find(({ kind }) => kind === 'server')).toMatchObject({
    traceId: given.trace,
    parentSpanId: client?.spanId,
  })
})

test('a call that belongs to no trace begins none', async () => {
  await using fleet = await startFleet()
  const rpc = await withService(fleet, () => ({}))
  await rpc.call(checkLogin, new Uint8Array(), { timeoutMs: 30_000 })
  await rpc.call(checkLogin, new Uint8Array(), { timeoutMs: 30_000, traceparent })
  expect((await readSpans()).map(({ kind, traceId }) => [kind, traceId]).toSorted()).toEqual([
    ['client', given.trace],
    ['server', given.trace],
  ])
})

describe('a failed call', () => {
  test.each([
    ['caused by the caller', Code.NotFound, 'not_found', false],
    ['caused by the server', Code.Unavailable, 'unavailable', true],
  ])('%s has its code but no message in its spans', async (_, code, status, isFailed) => {
    await using fleet = await startFleet()
    const rpc = await withService(fleet, () => {
      throw new ConnectError('salutations of olga', code)
    })
    const meta = { timeoutMs: 30_000, traceparent }
    await expect(rpc.call(checkLogin, new Uint8Array(), meta)).rejects.toThrow('salutations')
    const sent = await readSpans()
    for (const kind of ['client', 'server']) {
      const span = sent.find((one) => one.kind === kind)
      expect(span).toMatchObject({ isFailed, attributes: { 'rpc.response.status_code': status } })
      expect(span?.attributes['error.type']).toBe(isFailed ? status : undefined)
    }
    expect(JSON.stringify(collector.batches)).not.toContain('salutations')
  })

  test('is reported inside its span, so that its log line has the trace', async () => {
    await using fleet = await startFleet()
    const seen: string[] = []
    const failure = Object.defineProperty(new Error('unforeseen'), 'cause', {
      get: () => void seen.push(currentTraceparent()),
    })
    const rpc = await withService(fleet, () => {
      throw failure
    })
    await expect(rpc.call(checkLogin, new Uint8Array(), { timeoutMs: 30_000, traceparent })).rejects.toThrow('internal')
    const server = (await readSpans()).find(({ kind }) => kind === 'server')
    expect(seen).toContain(`00-${given.trace}-${server?.spanId}-01`)
  })
})
