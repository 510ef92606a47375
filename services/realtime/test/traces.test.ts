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

test('it happens at once, and a failure is reported within the trace', () => {
  const event = create(EventSchema, { id: 'E1', kind: 'message_posted', traceparent })
  const seen: unknown[] = []
  const note = (what: unknown) => void seen.push([what, currentTraceparent().split('-')[1]])
  traced(event, 7, { push: (_, place) => note(place), failed: note })
  const push = () => {
    throw new Error('broken')
  }
  const failed = (_: unknown, error: unknown) => note((error as Error).message)
  traced(event, 7, { push, failed })
  traced(create(EventSchema, {}), 7, { push, failed })
  expect(seen).toEqual([
    [7, traceId],
    ['broken', traceId],
    ['broken', undefined],
  ])
})

test('the push of an event is a span of the trace that caused it', async () => {
  await using env = await openEnv()
  const node = await env.start()
  await ready(node)
  const socket = await env.socketOf(node, 'Uanna')
  await publish(env.bus, { ...announced(1), traceparent })
  await settle(env, { Uanna: [socket] })
  await node[Symbol.asyncDispose]()
  await stopTelemetry()
  const [span] = collector.spans.filter(({ attributes }) => attributes['parley.event.kind'] === 'room_groups_updated')
  expect(span).toMatchObject({
    name: 'deliver to sockets',
    kind: 'consumer',
    traceId,
    parentSpanId: 'b7ad6b7169203331',
  })
})
