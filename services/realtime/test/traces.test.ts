import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { create } from '@bufbuild/protobuf'
import { EventSchema } from '@parley/contracts/internal'
import { currentTraceparent, startTelemetry, stopTelemetry } from '@parley/telemetry'
import { OtlpReceiver } from '@parley/testkit'
import { deliverTraced } from '../src/engines/hub/deliver-traced.ts'
import { openEnv, waitUntilReady, settle } from './_env.ts'
import { groupsUpdated, publish } from './_events.ts'

let collector: OtlpReceiver
beforeAll(async () => {
  collector = await OtlpReceiver.startForThisProcess()
  await startTelemetry(process.env)
})
afterAll(async () => {
  await stopTelemetry()
  await collector[Symbol.asyncDispose]()
})

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

test('an event is delivered synchronously, with failures in its trace', () => {
  const event = create(EventSchema, { id: 'E1', kind: 'message_posted', traceparent })
  const seen: unknown[] = []
  const record = (what: unknown) => void seen.push([what, currentTraceparent().split('-')[1]])
  deliverTraced(event, 7, { deliver: (_, position) => record(position), onFailure: record })
  const deliver = () => {
    throw new Error('broken')
  }
  const onFailure = (_: unknown, error: unknown) => record((error as Error).message)
  deliverTraced(event, 7, { deliver, onFailure })
  deliverTraced(create(EventSchema, {}), 7, { deliver, onFailure })
  expect(seen).toEqual([
    [7, traceId],
    ['broken', traceId],
    ['broken', undefined],
  ])
})

test('a delivery is a child of the span in its event', async () => {
  await using env = await openEnv()
  const node = await env.start()
  await waitUntilReady(node)
  const socket = await env.socketOf(node, 'Uanna')
  await publish(env.bus, { ...groupsUpdated(1), traceparent })
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
