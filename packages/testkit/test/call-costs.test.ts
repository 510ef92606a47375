import { createClient } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AccountsInternalService, AdminInternalService } from '@parley/contracts/internal'
import { type Database, openDatabase } from '@parley/postgres'
import { Resources } from '@parley/runtime'
import {
  countCosts,
  type CostCounter,
  serveFakes,
  testBus,
  testDatabase,
  testNats,
  type TestBus,
} from '@parley/testkit'

const opened = new Resources()
let here: TestBus
let costs: CostCounter
let database: Database
let work: () => Promise<unknown>
beforeAll(async () => {
  const { url } = opened.use(await testDatabase(new URL('_drizzle', import.meta.url)))
  const nats = opened.use(await testNats())
  here = opened.use(await testBus(nats.url))
  costs = opened.use(await countCosts(here.bus))
  database = opened.use(await openDatabase({ url, pool: 2, name: 'test', connectTimeoutMs: 30_000 }))
  const routes: Parameters<typeof serveFakes>[1] = (routes) => {
    routes.service(AdminInternalService, { checkLogin: async () => (await work(), {}) })
    routes.service(AccountsInternalService, { getProfiles: () => ({}) })
  }
  opened.use(await serveFakes(here.bus, routes))
})
afterAll(() => opened[Symbol.asyncDispose]())

const call = () => createClient(AdminInternalService, here.rpc.transport()).checkLogin({})
const costsOf = (next: () => Promise<unknown>) => {
  work = next
  return costs.of(call)
}

test('a call that sends no statement and no request costs nothing', async () => {
  expect(await costsOf(() => Promise.resolve())).toEqual({ statements: [], requests: [] })
})

test('every statement and every request is counted, repeated ones too', async () => {
  const { getProfiles } = createClient(AccountsInternalService, here.rpc.transport())
  const read = { name: 'read_all', text: 'select count(*) from pg_class' }
  const all = async () => {
    for (let time = 0; time < 2; time++) await database.pool.query(read)
    await Promise.all([getProfiles({}), getProfiles({})])
  }
  const method = 'AccountsInternalService.GetProfiles'
  expect(await costsOf(all)).toEqual({ statements: ['read_all', 'read_all'], requests: [method, method] })
})

test.each([
  ['select a.oid from pg_class a join "pg_type" b using (oid) where a.relname = $1', 'select: pg_class, pg_type'],
  ["select 'a secret' as secret", 'select ? as secret'],
  ['select oid from pg_class where relname = $1 for update skip locked', 'select: pg_class'],
])('an unnamed statement is shown as its kind and tables, or else its text without values: %s', async (text, shown) => {
  const values = text.includes('$1') ? ['a secret'] : []
  const run = () => database.pool.query(text, values).catch(() => undefined)
  // The pool names statements that run repeatedly. Those names are not shown.
  for (let time = 0; time < 4; time++) expect((await costsOf(run)).statements).toEqual([shown])
})

test('the statements of a transaction are counted', async () => {
  const { statements } = await costsOf(() => database.db.transaction(() => Promise.resolve()))
  expect(statements).toEqual(['begin', 'commit'])
})

test('concurrent work outside the call is not counted', async () => {
  let isOver = false
  const background = (async () => {
    while (!isOver) await database.pool.query('select 1')
  })()
  expect((await costsOf(() => database.pool.query('select 2'))).statements).toEqual(['select 2'])
  isOver = true
  await background
})
