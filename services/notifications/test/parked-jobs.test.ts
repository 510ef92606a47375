import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createClient, createRouterTransport } from '@connectrpc/connect'
import { NotificationsParkedEventsService } from '@parley/contracts/internal'
import { parkedEventsService } from '@parley/events'
import { sqlRows } from '@parley/postgres'
import { eventually } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { requeueJobs } from '../src/store/jobs.ts'
import { openFleet, type Fleet } from './_fleet.ts'
import { RoomPublisher } from './_room-publisher.ts'

let fleet: Fleet
beforeEach(async () => {
  fleet = await openFleet()
})
afterEach(() => fleet[Symbol.asyncDispose]())

const waiting = () =>
  sqlRows<{ failures: number; fence: number }>(fleet.db, sql`select failures, fence from notification_jobs`)
const parked = () =>
  sqlRows<{ subject: string; attempts: number; payload: Buffer; reason: string }>(
    fleet.db,
    sql`select subject, attempts, payload, last_error as reason from parked_events where consumer = 'jobs'`,
  )

test('a job that fails for the tenth time is parked with its reason and counted, and can be replayed', async () => {
  const work = { of: 'told', audiences: [{ of: 'members' }] }
  await fleet.db.execute(
    sql`insert into notification_jobs (work, due_at, failures) values (${JSON.stringify(work)}::jsonb, now(), 9)`,
  )
  const { internalPort } = await fleet.start({}, { jobsEveryMs: 200 })
  await eventually(async () => expect(await parked()).toHaveLength(1))
  expect(await waiting()).toEqual([])
  const [job] = await parked()
  expect(job).toMatchObject({ subject: 'job.told', attempts: 10, reason: expect.stringContaining('TypeError') })
  expect(JSON.parse(job?.payload.toString() ?? '')).toEqual({ work, after: '' })
  const metrics = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text()
  expect(metrics).toMatch(/parley_notifications_jobs_parked_total\{parley_kind="told"\} 1\b/)

  const operator = createClient(
    NotificationsParkedEventsService,
    createRouterTransport((router) =>
      router.service(NotificationsParkedEventsService, parkedEventsService(fleet.db, { jobs: requeueJobs })),
    ),
  )
  await fleet.db.execute(sql`
    update parked_events set payload = convert_to(jsonb_build_object('work', ${JSON.stringify(work)}::jsonb, 'after', 'U7')::text, 'UTF8')`)
  expect(await operator.replayParkedEvents({ consumer: 'jobs' })).toMatchObject({ requested: 1 })
  expect(await parked()).toEqual([])
  expect(await sqlRows(fleet.db, sql`select work, after from notification_jobs`)).toEqual([{ work, after: 'U7' }])
})

test('a process whose clock is an hour ahead does not take a job that another process has leased', async () => {
  const work = JSON.stringify({ of: 'told', audiences: [{ of: 'members' }] })
  await fleet.db.execute(sql`
    insert into notification_jobs (work, due_at, fence) values (${work}::jsonb, now() + interval '1 minute', 1)`)
  fleet.fakes.room(
    'R1',
    Array.from({ length: 300 }, (_, n) => `U${n}`),
  )
  await fleet.start({}, { jobsEveryMs: 50, now: () => new Date(Date.now() + 3_600_000) })
  const eventId = await new RoomPublisher(fleet.bus, 'R1').post('U0', { mentions: { all: true } })
  const notified = () =>
    sqlRows(fleet.db, sql`select from notifications where event_id = ${eventId} and user_id = 'U299'`)
  await eventually(async () => expect(await notified()).toHaveLength(1), { timeoutMs: 20_000 })
  await eventually(async () => expect(await waiting()).toEqual([{ failures: 0, fence: 1 }]))
})

test('a job that fails because another service is unavailable is not parked, however often it fails', async () => {
  const members = Array.from({ length: 300 }, (_, n) => `U${n}`)
  fleet.fakes.room('R1', members)
  fleet.fakes.unavailableMethods.add('getPresences')
  await fleet.start({}, { jobsEveryMs: 200 })
  await new RoomPublisher(fleet.bus, 'R1').post('U0', { mentions: { all: true } })
  await eventually(async () => expect(await waiting()).toHaveLength(1), { timeoutMs: 20_000 })
  await eventually(
    async () => {
      await fleet.db.execute(sql`update notification_jobs set failures = 9, due_at = now()`)
      expect((await waiting())[0]?.fence).toBeGreaterThan(8)
    },
    { timeoutMs: 20_000 },
  )
  expect(await parked()).toEqual([])
  fleet.fakes.unavailableMethods.clear()
  await eventually(
    async () => {
      await fleet.db.execute(sql`update notification_jobs set due_at = now()`)
      expect(await waiting()).toEqual([])
    },
    { timeoutMs: 20_000 },
  )
  expect(await parked()).toEqual([])
})
