import { Code } from '@connectrpc/connect'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { testAdmin, type TestAdmin } from './_admin.ts'
import { startFakeServices, type FakeServices } from './_fake-services.ts'

let admin: TestAdmin
let fakes: FakeServices

beforeEach(async () => {
  admin = await testAdmin()
  fakes = admin.use(await startFakeServices(admin))
  await admin.start()
})
afterEach(() => admin[Symbol.asyncDispose]())

const createRole = (name: string) => admin.owner.adminRoles.createRole({ name })
const pending = async () => (await admin.pool.query<{ name: string }>('select name from pending_role_names')).rows
const insertPending = (roleId: string, name: string, state: string, age: string) =>
  admin.pool.query(`insert into pending_role_names values ($1, $2, $3, now() - $4::interval)`, [
    roleId,
    name,
    state,
    age,
  ])

test('the name of an existing role is not pending', async () => {
  await createRole('crew')
  expect(await pending()).toEqual([])
  expect([...fakes.handles.keys()]).toEqual(['crew'])
})

test('the name of a role that was not created is released', async () => {
  await admin.pool.query(`alter table roles add constraint no_crew check (name <> 'crew')`)
  await expect(createRole('crew')).rejects.toMatchObject({ code: Code.Internal })
  expect(fakes.handles.size).toBe(0)
  expect(await pending()).toEqual([])
})

test('a name reserved by a dead process is released once no call can use it', async () => {
  fakes.handles.set('left', 'Oleft').set('young', 'Oyoung').set('gone', 'Ogone')
  await insertPending('Oleft', 'left', 'reserved', '3 minutes')
  await insertPending('Oyoung', 'young', 'reserved', '1 second')
  await insertPending('Ogone', 'gone', 'given_up', '1 second')
  // The job runs within a second after the start of a process.
  await admin.start()
  await eventually(() => expect([...fakes.handles.keys()]).toEqual(['young']))
  await eventually(async () => expect(await pending()).toEqual([{ name: 'young' }]))
})

test('a role is not created if its name is given up before accounts has reserved it', async () => {
  const { promise, resolve: go } = Promise.withResolvers<void>()
  fakes.reserving = promise
  const making = createRole('slow')
  const refused = expect(making).rejects.toMatchObject({ code: Code.Unavailable })
  await eventually(async () => expect(await pending()).toEqual([{ name: 'slow' }]))
  await admin.pool.query(`update pending_role_names set state = 'given_up'`)
  go()
  await refused
  expect(fakes.handles.size).toBe(0)
  await expect(admin.owner.adminRoles.getRole({ name: 'slow' })).rejects.toMatchObject({ code: Code.NotFound })
})

test('while accounts is unavailable, no role is created and no name stays reserved', async () => {
  fakes.unavailable.add('accounts')
  await expect(createRole('crew')).rejects.toMatchObject({ code: Code.Unavailable })
  fakes.unavailable.clear()
  await createRole('crew')
  await eventually(async () => expect(await pending()).toEqual([]))
  expect([...fakes.handles.keys()]).toEqual(['crew'])
})

test('there are at most a thousand custom roles', async () => {
  await admin.pool.query(
    `insert into roles select 'O' || n, 'r' || n, '', '', false, n, false from generate_series(2000, 2999) n`,
  )
  await admin.pool.query(`update policy_state set revision = revision + 1`)
  await expect(createRole('crew')).rejects.toMatchObject({ code: Code.ResourceExhausted })
})
