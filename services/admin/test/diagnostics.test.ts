import { timestampDate } from '@bufbuild/protobuf/wkt'
import { Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import type { GetSystemInfoResponse } from '@parley/contracts/admin'
import { AccountsInternalService, RoomsInternalService } from '@parley/contracts/internal'
import { openDatabase } from '@parley/postgres'
import { eventually, serveFakes } from '@parley/testkit'
import { AckPolicy } from 'nats'
import { useAdmin } from './_admin.ts'
import { parkedEvents, streamRecovery } from '../src/store/schema.ts'
import { announce } from './_announce.ts'

const admin = useAdmin()

beforeAll(() => admin.start())

const info = () => admin.owner.diagnostics.getSystemInfo({})

const auditOf = ({ projections }: Pick<GetSystemInfoResponse, 'projections'>) =>
  projections.find(({ key }) => key === 'admin-audit')

test('only owners may read the system information', async () => {
  const denied = { code: Code.PermissionDenied }
  await expect(admin.bert.diagnostics.getSystemInfo({})).rejects.toMatchObject(denied)
  await expect(admin.alice.diagnostics.getSystemInfo({})).rejects.toMatchObject(denied)
})

test('the system information contains NATS, stream and consumers', async () => {
  await announce(admin.bus, { kind: 'room_updated', aggregateType: 'room', aggregateId: 'R1', version: 1n })
  await eventually(async () => expect(auditOf(await info())).toMatchObject({ lag: 0n, entryCount: 1n }))
  const { systemInfo, projections } = await info()
  expect(systemInfo?.connection).toMatchObject({ connected: true, rtt: expect.stringMatching(/^[\d.]+(µs|ms)$/) })
  expect(systemInfo?.connection?.version).toMatch(/^\d+\.\d+/)
  expect(systemInfo?.connection?.maxPayload).toBeGreaterThan(0n)
  expect(systemInfo?.account).toMatchObject({ streamsUsed: 1 })
  expect(systemInfo?.nats?.streams).toMatchObject([
    { name: 'EVENTS', subjects: ['evt.>'], storage: 'file', messages: 1n, lastSequence: '1', replicas: 1 },
  ])
  expect(systemInfo?.nats?.totalMessages).toBe(1n)
  expect(systemInfo?.nats?.streams[0]?.maxBytes).toBeGreaterThan(0n)
  expect(systemInfo?.streamLosses).toMatchObject({ recoveries: 0, lostEvents: 0n })
  const audit = systemInfo?.nats?.consumers.find(({ durable }) => durable === 'admin-audit')
  expect(audit).toMatchObject({
    stream: 'EVENTS',
    filterSubject: 'evt.>',
    ackPolicy: 'explicit',
    pullBased: true,
    pending: 0n,
  })
  expect(auditOf({ projections })).toMatchObject({
    name: 'audit of admin',
    subjects: ['evt.>'],
    started: true,
    lastAppliedSequence: '1',
    matchingStreamSequence: '1',
    streamLastSequence: '1',
    failed: false,
    metrics: [{ name: 'parked events', value: 0n }],
  })
  expect(auditOf({ projections })?.estimatedBytes).toBeGreaterThan(0n)
})

test('the system information contains losses of the stream', async () => {
  const recoveredAt = new Date('2020-01-01T00:00:00Z')
  await using database = await openDatabase({ url: admin.database.url, pool: 1, name: 'test' })
  await database.db.insert(streamRecovery).values({ id: 1, generation: 2, recoveredAt, lostEvents: 7n })
  const { streamLosses } = (await info()).systemInfo ?? {}
  expect(streamLosses).toMatchObject({ recoveries: 2, lostEvents: 7n })
  expect(streamLosses?.lastRecoveredAt && timestampDate(streamLosses.lastRecoveredAt)).toEqual(recoveredAt)
})

test('the audit log is reported as failed while one of its events is parked', async () => {
  await using database = await openDatabase({ url: admin.database.url, pool: 1, name: 'test' })
  const event = { eventId: 'Elost', subject: 'evt.room.R1.room_updated', payload: new Uint8Array(), attempts: 10 }
  const parked = { consumer: 'admin-audit', ...event, lastError: 'words of a person', parkedAt: new Date() }
  await database.db.insert(parkedEvents).values(parked)
  expect(auditOf(await info())).toMatchObject({
    ...{ failed: true, failure: 'parked events: 1; parley events parked lists them', failedSequence: '' },
    metrics: [{ name: 'parked events', value: 1n }],
  })
  await database.db.delete(parkedEvents)
  expect(auditOf(await info())).toMatchObject({ failed: false, failure: '' })
})

test('the projections contain the lag of a durable consumer', async () => {
  const manager = await admin.bus.nc.jetstreamManager()
  const subject = 'evt.room.>'
  await manager.consumers.add('EVENTS', {
    durable_name: 'rooms-some-copy',
    filter_subject: subject,
    ack_policy: AckPolicy.Explicit,
  })
  await announce(admin.bus, { kind: 'user_created', aggregateType: 'user', aggregateId: 'U1', version: 1n })
  const { projections } = await info()
  expect(projections.find(({ key }) => key === 'rooms-some-copy')).toMatchObject({
    name: 'some copy of rooms',
    subjects: [subject],
    started: false,
    lag: 1n,
    matchingStreamSequence: '1',
    streamLastSequence: '2',
  })
})

test('users and rooms are counted, unless a service is unavailable', async () => {
  expect((await info()).systemInfo?.stats).toBeUndefined()
  await using _accounts = await serveFakes(admin.bus, (router) =>
    router.service(AccountsInternalService, { countUsers: () => ({ count: 3 }) }),
  )
  await using _rooms = await serveFakes(admin.bus, (router) =>
    router.service(RoomsInternalService, { countRooms: () => ({ channels: 2, dms: 7 }) }),
  )
  expect((await info()).systemInfo?.stats).toMatchObject({ userCount: 3, channelRoomCount: 2, dmRoomCount: 7 })
})
