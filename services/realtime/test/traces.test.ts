import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { create } from '@bufbuild/protobuf'
import { EventSchema } from '@parley/contracts/internal'
import { currentTraceparent, startTelemetry, stopTelemetry } from '@parley/telemetry'
import { OtlpReceiver } from '@parley/testkit'
import { traced } from '../src/engines/hub/traced.ts'
import { openEnv, ready, settle } from './_env.ts'
import { announced, publish } from './_events.ts'

let collector: OtlpReceiver
beforeAll(async () => {
  collector = await OtlpReceiver.startHere()
  await startTelemetry(process.env)
})
afterAll(async () => {
  await stopTelemetry()
  await collector[Symbol.asyncDispose]()
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
  const [span] = collector.spans.filter((one) => one.traceId === traceId)
  expect(span).toMatchObject({ name: 'deliver to sockets', kind: 'consumer', parentSpanId: 'b7ad6b7169203331' })
  expect(span?.attributes).toMatchObject({ 'parley.event.kind': 'room_groups_updated' })
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
