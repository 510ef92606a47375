import { Code } from '@connectrpc/connect'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@parley/ids'
import { eventually } from '@parley/testkit'
import { testAdmin, type TestAdmin } from './_admin.ts'
import { announce } from './_announce.ts'
import { readWholeLog } from './_log.ts'

let admin: TestAdmin
beforeEach(async () => {
  admin = await testAdmin()
})
afterEach(() => admin[Symbol.asyncDispose]())

const on = (day: string) => ({ now: () => new Date(`${day}T12:00:00Z`) })
const total = async () => Number((await admin.owner.eventLog.listEvents({ limit: 1 })).totalCount)
const publish = (kind: string) => announce(admin.bus, { kind, aggregateType: 'room', aggregateId: 'R1', version: 1n })
const types = async () => (await readWholeLog(admin)).map(({ eventType }) => eventType)

async function partitions(): Promise<string[]> {
  const { rows } = await admin.pool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_entries'::regclass order by 1`,
  )
  return rows.map(({ name }) => name)
}

test('conversation entries of a month are deleted 30 days after its end, security entries 400 days after it', async () => {
  const january = await admin.start({}, on('2026-01-31'))
  expect(await partitions()).toEqual([
    'audit_entries_conversation_2026_01',
    'audit_entries_conversation_2026_02',
    'audit_entries_conversation_2026_03',
    'audit_entries_other',
    'audit_entries_security_2026_01',
    'audit_entries_security_2026_02',
    'audit_entries_security_2026_03',
  ])
  await publish('message_posted')
  await publish('room_archived')
  await eventually(async () => expect(await total()).toBe(2))
  await january[Symbol.asyncDispose]()

  const march = await admin.start({}, on('2026-03-02'))
  await publish('message_posted')
  await eventually(async () => expect(await total()).toBe(3))
  expect(await types()).toEqual(['MessagePostedEvent', 'RoomArchivedEvent', 'MessagePostedEvent'])
  await march[Symbol.asyncDispose]()

  const soon = await admin.start({}, on('2026-03-03'))
  await eventually(async () => expect(await total()).toBe(2))
  expect(await types()).toEqual(['MessagePostedEvent', 'RoomArchivedEvent'])
  await expect(admin.owner.eventLog.getEvent({ sequence: '1' })).rejects.toMatchObject({ code: Code.NotFound })
  await soon[Symbol.asyncDispose]()

  await admin.start({}, on('2027-03-10'))
  await eventually(async () => expect(await types()).toEqual([]))
  const monthsOf = (auditClass: string, ...months: string[]) =>
    months.map((month) => `audit_entries_${auditClass}_${month}`)
  const ahead = ['2027_03', '2027_04', '2027_05']
  await eventually(async () =>
    expect(await partitions()).toEqual([
      ...monthsOf('conversation', ...ahead),
      'audit_entries_other',
      ...monthsOf('security', '2026_02', '2026_03', '2026_04', '2026_05', ...ahead),
    ]),
  )
  await publish('room_archived')
  await eventually(async () => expect((await readWholeLog(admin)).map(({ sequence }) => sequence)).toEqual(['4']))
})

test('retention can be configured', async () => {
  const first = await admin.start({}, on('2026-01-15'))
  await publish('room_archived')
  await eventually(async () => expect(await total()).toBe(1))
  await first[Symbol.asyncDispose]()
  await admin.start({ PARLEY_AUDIT_RETENTION: '1d' }, on('2026-02-03'))
  await eventually(async () => expect(await total()).toBe(0))
})

test('entries of a month without a table are kept in the default partition until they expire', async () => {
  let today = new Date('2026-01-15T12:00:00Z')
  const first = await admin.start({}, { now: () => today })
  today = new Date('2026-08-15T12:00:00Z')
  await publish('room_archived')
  await eventually(async () => expect(await types()).toEqual(['RoomArchivedEvent']))
  await first[Symbol.asyncDispose]()
  const second = await admin.start({}, { now: () => today })
  await publish('room_unarchived')
  await eventually(async () => expect(await types()).toEqual(['RoomUnarchivedEvent', 'RoomArchivedEvent']))
  await second[Symbol.asyncDispose]()
  await admin.start({}, on('2027-11-01'))
  await eventually(async () => expect(await types()).toEqual([]))
})

test('retention works if the database role may not create tables', async () => {
  const owner = admin.pool
  const role = `plain_${newId('user').toLowerCase()}`
  try {
    await owner.query(`create role ${role} login password 'plain'`)
    await owner.query(`grant all on all tables in schema public to ${role}`)
    await owner.query(`grant all on all sequences in schema public to ${role}`)
    const url = Object.assign(new URL(admin.database.url), { username: role, password: 'plain' }).href
    const plain = await admin.start({ PARLEY_ADMIN_DATABASE_URL: url }, on('2026-01-15'))
    await publish('message_posted')
    await publish('room_archived')
    await eventually(async () => expect(await types()).toEqual(['RoomArchivedEvent', 'MessagePostedEvent']))
    expect(await partitions()).toEqual(['audit_entries_other'])
    await plain[Symbol.asyncDispose]()
    const later = await admin.start({ PARLEY_ADMIN_DATABASE_URL: url }, on('2026-03-15'))
    await publish('room_archived')
    await eventually(async () => expect(await types()).toEqual(['RoomArchivedEvent', 'RoomArchivedEvent']))
    await later[Symbol.asyncDispose]()
  } finally {
    await owner.query(`drop owned by ${role}`)
    await owner.query(`drop role ${role}`)
  }
})
