import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually, publishEvents, type TestEvent } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { inbox, people, projectionFills } from '../src/store/schema.ts'
import { openEnv, type Env } from './_env.ts'

let env: Env

beforeEach(async () => {
  env = await openEnv()
})
afterEach(() => env[Symbol.asyncDispose]())

const readPeople = () => env.db.select().from(people).orderBy(people.userId)
const waitUntilFilled = () =>
  eventually(async () => (await env.db.select().from(projectionFills)).length === 1, { timeoutMs: 90_000 })
const alice = { userId: 'Ualice', login: 'alice', displayName: 'Alice', roleIds: ['moderator'], version: 5n }

async function announce(kind: string, version: bigint, fact: TestEvent['fact']): Promise<void> {
  const about = { aggregateType: 'user', aggregateId: 'Ualice', kind } as const
  await publishEvents(env.bus, { ...about, version, fact })
}

async function rename(version: bigint, displayName: string): Promise<void> {
  env.accounts.people = [{ ...alice, displayName, version }]
  await announce('user_profile_updated', version, { case: 'userChanged', value: {} })
}

test('people are copied from accounts as soon as it answers', async () => {
  env.accounts.unavailable = true
  env.accounts.people = Array.from({ length: 1001 }, (_, n) => ({ ...alice, userId: `U${n}`, login: `login${n}` }))
  await env.start()
  env.accounts.unavailable = false
  await waitUntilFilled()
  const rows = await readPeople()
  expect(rows).toHaveLength(1001)
  expect(rows[0]).toMatchObject({ userId: 'U0', login: 'login0', nameKey: 'alice', roleIds: ['moderator'] })
})

test('renames and roles are applied; the response of accounts counts, even with a lower version', async () => {
  env.accounts.people = [alice]
  await env.start()
  await waitUntilFilled()
  await rename(7n, 'Alicia')
  await eventually(async () =>
    expect(await readPeople()).toMatchObject([
      { displayName: 'Alicia', nameKey: 'alicia', searchKey: 'alice\nalicia' },
    ]),
  )
  await rename(6n, 'Restored')
  await eventually(async () => (await env.db.select().from(inbox)).length === 2)
  expect(await readPeople()).toMatchObject([{ displayName: 'Restored' }])
  await announce('roles_changed', 8n, { case: 'userRolesChanged', value: { roleIds: ['admin'], rolesVersion: 2n } })
  await eventually(async () => expect(await readPeople()).toMatchObject([{ roleIds: ['admin'] }]))
  await rename(9n, '')
  await eventually(async () => expect(await readPeople()).toMatchObject([{ displayName: '', nameKey: 'alice' }]))
})

test('for a late event, accounts is called without a lock on the row', async () => {
  env.accounts.people = [alice]
  await env.start()
  await waitUntilFilled()
  const areUnlocked: boolean[] = []
  env.accounts.onGetPeople = async () => {
    const isUnlocked = env.db
      .transaction((tx) => tx.execute(sql`select from people where user_id = 'Ualice' for update nowait`))
      .then(...[() => true, () => false])
    areUnlocked.push(await isUnlocked)
    if (areUnlocked.length > 1) return
    await env.db.update(people).set({ roleIds: ['newer'], rolesVersion: 9n })
  }
  env.accounts.people = [{ ...alice, roleIds: ['current'], version: 8n }]
  await announce('roles_changed', 4n, { case: 'userRolesChanged', value: { roleIds: ['late'], rolesVersion: 4n } })
  await eventually(async () => expect(await readPeople()).toMatchObject([{ roleIds: ['current'], rolesVersion: 8n }]))
  expect(areUnlocked).toEqual([true, true])
})

test('a rename is applied even if accounts was unavailable', async () => {
  env.accounts.people = [alice]
  await env.start()
  await waitUntilFilled()
  env.accounts.unavailable = true
  await rename(7n, 'Alicia')
  // More than the attempts after which an event is parked.
  await eventually(() => env.accounts.failedGetPeople > 11)
  env.accounts.unavailable = false
  await eventually(async () =>
    expect(await readPeople()).toMatchObject([
      { displayName: 'Alicia', nameKey: 'alicia', searchKey: 'alice\nalicia' },
    ]),
  )
})

test('only a tombstone remains of a deleted account', async () => {
  env.accounts.people = [alice]
  await env.start()
  await waitUntilFilled()
  await announce('account_deleted', 9n, { case: 'userChanged', value: { deleted: true } })
  const tombstone = {
    deleted: true,
    login: '',
    displayName: '',
    nameKey: '',
    searchKey: '',
    searchGrams: [],
    roleIds: [],
  }
  await eventually(async () => expect(await readPeople()).toMatchObject([tombstone]))
  await rename(10n, 'Back')
  await announce('user_created', 11n, { case: 'userChanged', value: { created: true } })
  await announce('roles_changed', 12n, { case: 'userRolesChanged', value: { roleIds: ['admin'], rolesVersion: 3n } })
  await eventually(async () => (await env.db.select().from(inbox)).length === 4)
  expect(await readPeople()).toMatchObject([tombstone])
})
