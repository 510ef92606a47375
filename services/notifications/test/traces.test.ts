import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startTelemetry, stopTelemetry } from '@parley/telemetry'
import { eventually, OtlpReceiver, publishEvents } from '@parley/testkit'
import { sqlRows } from '@parley/postgres'
import { sql } from 'drizzle-orm'
import { openPushFleet, type PushFleet } from './_push-fleet.ts'
import { queuedPushes } from './_push-jobs.ts'

let collector: OtlpReceiver
let push: PushFleet
beforeAll(async () => {
  collector = await OtlpReceiver.startForThisProcess()
  await startTelemetry(process.env)
  push = await openPushFleet()
  const broken = { of: 'told', message: { traceparent }, audiences: [{ of: 'members' }] }
  await push.fleet.db.execute(
    sql`insert into notification_jobs (work, due_at, failures) values (${JSON.stringify(broken)}::jsonb, now(), 9)`,
  )
})
afterAll(async () => {
  await push[Symbol.asyncDispose]()
  await stopTelemetry()
  await collector[Symbol.asyncDispose]()
})

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

test('the trace of a message includes its pushes and the notifications of a large audience', async () => {
  const { fleet, service } = push
  const running = await push.start()
  const crowd = Array.from({ length: 1_200 }, (_, n) => `Ucrowd${n}`)
  fleet.fakes.room('R1', ['Uann', 'Ubob', 'Ueve', ...crowd], { name: 'a room for secrets' })
  fleet.fakes.previews.set('E1', { text: 'salutations' })
  for (const user of ['Ubob', 'Ueve']) await push.subscribe(user, user)
  await publishEvents(fleet.bus, {
    ...{ id: 'E1', kind: 'message_posted', aggregateType: 'room', aggregateId: 'R1', actorId: 'Uann', traceparent },
    fact: { case: 'messagePosted', value: { roomSeq: 1n, mentions: { userIds: ['Ubob'], all: true } } },
  })
  for (const user of ['Ubob', 'Ueve']) await eventually(() => expect(service.receivedBy(user)).toHaveLength(1))
  await eventually(async () => expect(await queuedPushes(fleet.db)).toEqual([]))
  await eventually(async () => expect(await sqlRows(fleet.db, sql`select from notification_jobs`)).toEqual([]))
  const announced = fleet.published.events.filter(({ kind }) => kind !== 'message_posted')
  await running[Symbol.asyncDispose]()
  await stopTelemetry()

  const spans = collector.spans.filter((span) => span.traceId === traceId)
  const named = (name: string) => spans.filter((span) => span.name === name)
  expect(named('process notifications-rooms').length).toBeGreaterThan(0)
  expect(named('notify audience').length).toBeGreaterThan(0)
  expect(named('prepare pushes').length).toBeGreaterThan(0)
  expect(named('POST push').map(({ attributes }) => attributes['parley.outcome'])).toEqual(['accepted', 'accepted'])
  expect(named('svc.internal.v1.RoomsInternalService/ListRecipients').length).toBeGreaterThan(0)
  expect(new Set(announced.map((event) => event.traceparent.split('-')[1]))).toEqual(new Set([traceId]))
  const exported = JSON.stringify(collector.batches)
  const { endpoint } = service.subscribe('Ubob')
  for (const secret of ['salutations', 'a room for secrets', new URL(endpoint).pathname])
    expect(exported).not.toContain(secret)
})

test('the log line about a parked job has the trace of its message', () => {
  const lines = collector.logs.filter(
    ({ body }) =>
      body.stringValue === 'a job was parked after its last attempt failed; requeue it after fixing the cause',
  )
  expect(lines.map((line) => line.traceId)).toEqual([traceId])
})
