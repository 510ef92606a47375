import type { MessageInitShape } from '@bufbuild/protobuf'
import { Code, type Client } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { AdminUserService } from '@parley/contracts/admin'
import {
  ImportedPersonOutcome,
  type AccountsTransferService,
  type ImportedPersonSchema,
} from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import { isUniqueViolation } from '@parley/postgres'
import { eventually, recordEvents } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { insertPeople } from '../src/store/imported-people.ts'
import { callerOf, makeUser, openEnv, useEnv } from './_env.ts'

const { MADE, MATCHED, KNOWN } = ImportedPersonOutcome

const env = useEnv()
let transfer: Client<typeof AccountsTransferService>
beforeAll(async () => {
  await env.start({ PARLEY_OWNERS_EMAILS: 'boss@example.org' })
  await env.start({ PARLEY_OWNERS_EMAILS: 'boss@example.org' })
  transfer = env.transfer
})

type Somebody = MessageInitShape<typeof ImportedPersonSchema>
const importPeople = async (people: Somebody[], { source = 'slack:T1', matchEmails = true } = {}) =>
  (await transfer.importPeople({ source, people, matchEmails })).people
const exportPerson = async (userId: string) => (await transfer.exportPeople({ userIds: [userId] })).people[0]

describe('imported people', () => {
  test('get accounts without a password, with their names and addresses', async () => {
    const [made] = await importPeople([
      { externalId: 'U1', name: 'zoë', displayName: 'Zoë (she/her)', email: 'zoe@example.org' },
    ])
    expect(made).toMatchObject({ externalId: 'U1', login: 'zoe', outcome: MADE, emailDropped: false })
    expect(await exportPerson(made?.userId ?? '')).toMatchObject({
      ...{ login: 'zoe', displayName: 'Zoë she her', emails: ['zoe@example.org'], deleted: false },
    })
    await expect(env.internal.passwordLogin({ identifier: 'zoe', password: '' })).rejects.toMatchObject({
      code: Code.Unauthenticated,
    })
  })

  test('are announced like other new accounts', async () => {
    await using recording = await recordEvents(env.bus, 'evt.>')
    const [made] = await importPeople([{ externalId: 'U2', name: 'told', email: 'told@example.org' }])
    const ours = () => recording.events.filter(({ aggregateId }) => aggregateId === made?.userId)
    await eventually(() => expect(ours()).toHaveLength(2))
    expect(ours().map(({ kind }) => kind)).toEqual(['user_created', 'user_verified_email_added'])
  })

  test('are not duplicated when imported again, even concurrently', async () => {
    const people = Array.from({ length: 50 }, (_, index) => ({ externalId: `R${index}`, name: `racer-${index}` }))
    const [one, other] = await Promise.all([importPeople(people), importPeople([...people].reverse())])
    const ids = (entries: typeof one) => new Map(entries.map(({ externalId, userId }) => [externalId, userId]))
    expect(ids(one)).toEqual(new Map([...ids(other)].reverse()))
    const again = await importPeople(people)
    expect(new Set(again.map(({ outcome }) => outcome))).toEqual(new Set([KNOWN]))
  })

  test('are inserted in the same order by every import, so that imports cannot deadlock', async () => {
    const at = new Date()
    const person = (login: string) => ({
      user: { id: newId('user'), login, version: 1n, rolesVersion: 1n, createdAt: at },
      email: `${login}@example.org`,
    })
    const [first, second] = ['order-a', 'order-b']
    let other: Promise<unknown> = Promise.resolve()
    await env.db.transaction(async (tx) => {
      await insertPeople(tx, [person(first)], at)
      other = env.db.transaction((their) => insertPeople(their, [person(second), person(first)], at))
      other.catch(() => undefined)
      await eventually(async () => {
        const { rows } = await env.db.execute(sql`select from pg_stat_activity where wait_event_type = 'Lock'
          and datname = current_database()`)
        expect(rows).toHaveLength(1)
      })
      await insertPeople(tx, [person(second)], at)
    })
    expect(isUniqueViolation(await other.catch((error: unknown) => error))).toBe(true)
  })

  test('with the same id at another source are different people', async () => {
    const [one] = await importPeople([{ externalId: 'U3', name: 'twin' }])
    const [other] = await importPeople([{ externalId: 'U3', name: 'twin' }], { source: 'slack:T2' })
    expect([one?.login, other?.login]).toEqual(['twin', 'twin2'])
    expect(one?.userId).not.toBe(other?.userId)
  })

  test('are matched to existing accounts by their address, unless that is disabled', async () => {
    const userId = await makeUser(env, 'old-hand', { email: 'Hand@example.org' })
    const [found] = await importPeople([{ externalId: 'U4', name: 'hand', email: 'hand@EXAMPLE.org' }])
    expect(found).toMatchObject({ userId, login: 'old-hand', outcome: MATCHED })
    const [made] = await importPeople([{ externalId: 'U5', name: 'hand', email: 'hand@example.org' }], {
      matchEmails: false,
    })
    expect(made).toMatchObject({ login: 'hand', outcome: MADE, emailDropped: true })
    expect((await exportPerson(made?.userId ?? ''))?.emails).toEqual([])
  })

  test.each([
    ['blocked', 'root', 'root2'],
    ['the name of a role', 'admin', 'admin2'],
    ['a mention of everybody', 'here', 'here2'],
    ['empty', '名前', 'user'],
  ])('whose login would be %s get another login', async (what, name, login) => {
    expect(await importPeople([{ externalId: `login ${what}`, name }])).toMatchObject([{ login }])
  })

  test('with the same name and address become two accounts if matching is disabled', async () => {
    const [one, other] = await importPeople(
      ['U6', 'U7'].map((externalId) => ({ externalId, name: 'same', email: 'same@example.org' })),
      { matchEmails: false },
    )
    expect([one, other]).toMatchObject([
      { login: 'same', emailDropped: false },
      { login: 'same2', emailDropped: true },
    ])
  })

  test('are imported without invalid addresses', async () => {
    expect(await importPeople([{ externalId: 'U8', name: 'noaddress', email: 'nowhere' }])).toMatchObject([
      { emailDropped: true },
    ])
  })

  test('become owners if the configuration lists their address', async () => {
    const [boss] = await importPeople([{ externalId: 'U9', name: 'boss', email: 'boss@example.org' }])
    const { people } = await env.internal.getPeople({ userIds: [boss?.userId ?? ''] })
    expect(people[0]?.roleIds).toEqual(['owner'])
  })

  test('who were deleted at the source become tombstones', async () => {
    const [gone] = await importPeople([{ externalId: 'U10', name: 'gone', email: 'gone@example.org', deleted: true }])
    expect(gone).toMatchObject({ login: '', outcome: MADE })
    expect(await exportPerson(gone?.userId ?? '')).toMatchObject({
      login: '',
      displayName: '',
      emails: [],
      deleted: true,
    })
  })

  test('who were deleted here stay deleted, and their id at the source is not stored', async () => {
    const person = { externalId: 'U-to-be-gone', name: 'leaver', email: 'leaver@example.org' }
    const [made] = await importPeople([person])
    await makeUser(env, 'import-admin', { roleNames: ['admin'] })
    const admin = env.as(AdminUserService, await callerOf(env, 'import-admin'))
    await admin.deleteUser({ userId: made?.userId ?? '' })
    expect(await importPeople([person])).toMatchObject([{ userId: made?.userId, login: '', outcome: KNOWN }])
    const { rows } = await env.db.execute(sql`select encode(key, 'escape') as key from imported_people`)
    expect(JSON.stringify(rows)).not.toContain('U-to-be-gone')
  })
})

test('an import that exceeds the limit of accounts creates no account', async () => {
  await using limited = await openEnv()
  await limited.start({ PARLEY_LIMITS_MAX_USERS: '2' })
  const people = ['a', 'b', 'c'].map((name) => ({ externalId: name, name: `${name}${name}` }))
  await expect(limited.transfer.importPeople({ source: 's', people })).rejects.toMatchObject({
    code: Code.ResourceExhausted,
  })
  expect((await limited.transfer.importPeople({ source: 's', people: people.slice(0, 2) })).people).toHaveLength(2)
})

test.each([
  ['more than 500 people', Array.from({ length: 501 }, (_, index) => ({ externalId: String(index), name: 'x' }))],
  ['people without an id', [{ externalId: '', name: 'x' }]],
])('an import of %s is refused', async (_, people) => {
  await expect(importPeople(people)).rejects.toMatchObject({ code: Code.InvalidArgument })
})
