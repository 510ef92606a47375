import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { useAdmin, type TestAdmin } from './_admin.ts'

const admin = useAdmin()
const entryCount = 5200
const start = Date.parse('2026-01-01T00:00:00Z')
const at = (n: number) => timestampFromDate(new Date(start + n * 1000))

/** Entry n happened n seconds after the start. Every tenth is a new room, the others are messages; Uold wrote the first. */
const fill = `
  insert into audit_entries
  select n, 'security_2026_01', 'E' || n, case when n % 10 = 0 then 'RoomCreatedEvent' else 'MessagePostedEvent' end,
    'room', 'R' || n, case when n % 10 = 0 then 'room_created' else 'message_posted' end,
    case when n = 1 then 'Uold' when n % 20 = 0 then 'Uann' else 'Ubob' end,
    timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second', '{}'
  from generate_series(1, ${entryCount}) n;
  insert into audit_counts values ('security_2026_01', 'RoomCreatedEvent', ${entryCount / 10}), ('security_2026_01', 'MessagePostedEvent', ${entryCount * 0.9});
  insert into audit_counter (last_sequence) values (${entryCount})`

beforeAll(async () => {
  await admin.pool.query(fill)
  await admin.start({}, { now: () => new Date('2026-02-01T00:00:00Z') })
})

const list = (request: Parameters<TestAdmin['owner']['eventLog']['listEvents']>[0]) =>
  admin.bert.eventLog.listEvents(request)
const sequences = (page: { entries: { sequence: string }[] }) => page.entries.map(({ sequence }) => Number(sequence))

test('reading the log needs admin.view-audit', async () => {
  const denied = { code: Code.PermissionDenied }
  await expect(admin.alice.eventLog.listEvents({})).rejects.toMatchObject(denied)
  await expect(admin.alice.eventLog.listEventTypes({})).rejects.toMatchObject(denied)
  await expect(admin.alice.eventLog.getEvent({ sequence: '1' })).rejects.toMatchObject(denied)
})

test('pages have 50 entries by default, at most 200, newest first', async () => {
  const first = await list({})
  expect(sequences(first)).toEqual(Array.from({ length: 50 }, (_, n) => entryCount - n))
  expect(first).toMatchObject({
    hasOlder: true,
    endCursor: '5151',
    totalCount: BigInt(entryCount),
    scannedCount: 50,
    scanLimit: 50,
    scanLimited: false,
  })
  expect((await list({ limit: 500 })).entries).toHaveLength(200)
  expect(sequences(await list({ before: '5151', limit: 2 }))).toEqual([5150, 5149])
  await expect(list({ limit: -1 })).rejects.toMatchObject({ code: Code.InvalidArgument })
})

test('a page with the oldest entry reports that there are no older ones', async () => {
  expect(await list({ before: '3' })).toMatchObject({
    hasOlder: false,
    endCursor: '1',
    scannedCount: 2,
    scanLimited: false,
  })
  const nothing = await list({ before: '1' })
  expect(nothing).toMatchObject({ entries: [], hasOlder: false, scannedCount: 0, totalCount: BigInt(entryCount) })
  expect(nothing.endCursor).toBeUndefined()
  expect(sequences(await list({ before: '9'.repeat(30), limit: 1 }))).toEqual([entryCount])
})

test('entries must match all conditions of a filter', async () => {
  expect(sequences(await list({ limit: 3, filter: { eventType: 'RoomCreatedEvent' } }))).toEqual([5200, 5190, 5180])
  expect(sequences(await list({ limit: 3, filter: { eventType: 'RoomCreatedEvent', actorId: 'Ubob' } }))).toEqual([
    5190, 5170, 5150,
  ])
  const within = { createdAtFrom: at(5000), createdAtTo: at(5100) }
  const page = await list({ limit: 200, filter: { eventType: 'RoomCreatedEvent', actorId: 'Uann', ...within } })
  expect(sequences(page)).toEqual([5100, 5080, 5060, 5040, 5020, 5000])
  expect(page).toMatchObject({
    scanLimited: true,
    scannedCount: 5000,
    endCursor: '201',
    totalCount: BigInt(entryCount),
  })
})

test('a full filtered page returns how many entries were scanned', async () => {
  const page = await list({ limit: 2, filter: { eventType: 'RoomCreatedEvent' } })
  expect(page).toMatchObject({
    scannedCount: 11,
    scanLimit: 5000,
    scanLimited: false,
    hasOlder: true,
    endCursor: '5190',
  })
})

test('a filtered request scans at most 5000 entries, and can be continued', async () => {
  const first = await list({ filter: { actorId: 'Uold' } })
  expect(first).toMatchObject({
    entries: [],
    hasOlder: true,
    endCursor: '201',
    scannedCount: 5000,
    scanLimit: 5000,
    scanLimited: true,
  })
  const second = await list({ filter: { actorId: 'Uold' }, before: first.endCursor ?? '' })
  expect(sequences(second)).toEqual([1])
  expect(second).toMatchObject({ hasOlder: false, endCursor: '1', scannedCount: 200, scanLimited: false })
})

test('invalid requests are refused', async () => {
  const invalid = { code: Code.InvalidArgument }
  for (const before of ['', 'x', '-1', '1.0']) await expect(list({ before })).rejects.toMatchObject(invalid)
  await expect(list({ filter: { createdAtFrom: at(2), createdAtTo: at(1) } })).rejects.toMatchObject(invalid)
  await expect(admin.bert.eventLog.getEvent({ sequence: 'abc' })).rejects.toMatchObject(invalid)
  await expect(admin.bert.eventLog.getEvent({ sequence: '' })).rejects.toMatchObject(invalid)
})

test('an entry is found by its sequence', async () => {
  const { entry } = await admin.bert.eventLog.getEvent({ sequence: '20' })
  expect(entry).toMatchObject({ sequence: '20', eventId: 'E20', actorId: 'Uann', subject: 'evt.room.R20.room_created' })
  for (const sequence of ['0', '5201', '9'.repeat(30)]) {
    await expect(admin.bert.eventLog.getEvent({ sequence })).rejects.toMatchObject({ code: Code.NotFound })
  }
})

test('known and stored types are listed in alphabetical order', async () => {
  const { eventTypes } = await admin.bert.eventLog.listEventTypes({})
  expect(eventTypes).toEqual([...eventTypes].sort())
  expect(eventTypes).toEqual(expect.arrayContaining(['RoomCreatedEvent', 'LoginFailedEvent', 'RbacRoleAssignedEvent']))
  expect(new Set(eventTypes).size).toBe(eventTypes.length)
})
