import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { create } from '@bufbuild/protobuf'
import { EventSchema } from '@parley/contracts/internal'
import { currentTraceparent, startTelemetry, stopTelemetry } from '@parley/telemetry'
import { traced } from '../src/engines/hub/traced.ts'
import { openEnv, ready, settle } from './_env.ts'
import { announced, publish } from './_events.ts'

// Spans are recorded only when they go somewhere.
const sent: Buffer[] = []
const collector = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => sent.push(chunk)).once('end', () => response.end())
})
collector.listen(0, '127.0.0.1')
await once(collector, 'listening')
process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
process.env['OTEL_EXPORTER_OTLP_COMPRESSION'] = 'none'
await startTelemetry(process.env)

afterAll(async () => {
  await stopTelemetry()
  collector.close()
  collector.closeAllConnections()
})

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

test('the push of an event is a span of the trace that caused it', async () => {
  await using env = await openEnv()
  const node = await env.start()
  await ready(node)
  const socket = await env.socketOf(node, 'Uanna')
  await publish(env.bus, { ...announced(1), traceparent })
  await settle(env, { Uanna: [socket] })
  await node[Symbol.asyncDispose]()
  await stopTelemetry()
  const all = Buffer.concat(sent)
  expect(all.includes('push room_groups_updated')).toBe(true)
  expect(all.includes(traceId) || all.includes(Buffer.from(traceId, 'hex'))).toBe(true)
})

test('it happens at once, and fails as what it does', () => {
  const event = create(EventSchema, { id: 'E1', kind: 'message_posted', traceparent })
  let inside: string | undefined
  traced(event, () => (inside = currentTraceparent()))
  expect(inside).toBeDefined()
  const fail = () => {
    throw new Error('broken')
  }
  expect(() => traced(event, fail)).toThrow('broken')
  expect(() => traced(create(EventSchema, {}), fail)).toThrow('broken')
})
