import { fileURLToPath } from 'node:url'
import { Code, createClient } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { NotificationLevel, NotificationService } from '@parley/contracts/api'
import { AccountsInternalService, NotificationsInternalService } from '@parley/contracts/internal'
import { Resources, type Service } from '@parley/runtime'
import {
  callAs,
  ErasureReports,
  eventually,
  fakeLeaf,
  requestErasure,
  testBus,
  testDatabase,
  testNats,
} from '@parley/testkit'
import pg from 'pg'
import { readConfig } from '../src/config.ts'
import { startNotifications } from '../src/service.ts'

const { DEFAULT, MUTED, NORMAL, ALL_MESSAGES } = NotificationLevel

const opened = new Resources()
let database: { url: string }
let rpc: Awaited<ReturnType<typeof testBus>>['rpc']
let service: Service
let bus: Awaited<ReturnType<typeof testBus>>['bus']
const erasures = new ErasureReports()

beforeAll(async () => {
  database = opened.use(await testDatabase(fileURLToPath(new URL('../drizzle', import.meta.url))))
  const nats = opened.use(await testNats())
  ;({ bus, rpc } = opened.use(await testBus(nats.url)))
  opened.use(
    await fakeLeaf(bus, (routes) => routes.service(AccountsInternalService, { reportErased: erasures.reportErased })),
  )
  const env = { PARLEY_NOTIFICATIONS_DATABASE_URL: database.url, PARLEY_NATS_URL: nats.url }
  service = opened.use(await startNotifications(readConfig({ env })))
})

afterAll(() => opened[Symbol.asyncDispose]())

const preferencesOf = (userId: string) =>
  createClient(NotificationsInternalService, rpc.transport()).getPreferences({ userId })

async function store(...levels: [userId: string, roomId: string, level: string][]) {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  for (const level of levels) await client.query('insert into notification_levels values ($1, $2, $3)', level)
  await client.end()
}

test('whoever chose nothing gets the normal level', async () => {
  const { server, rooms } = await preferencesOf('Unew')
  expect(server).toMatchObject({ level: DEFAULT, effectiveLevel: NORMAL })
  expect(rooms).toEqual([])
})

test('stored levels of the server and of rooms are told, to their owner alone', async () => {
  await store(['Ualice', '', 'all_messages'], ['Ualice', 'R1', 'muted'], ['Ubob', 'R2', 'muted'])
  const alice = await preferencesOf('Ualice')
  expect(alice.server).toMatchObject({ level: ALL_MESSAGES, effectiveLevel: ALL_MESSAGES })
  expect(alice.rooms).toMatchObject([{ roomId: 'R1', preference: { level: MUTED, effectiveLevel: MUTED } }])
  const bob = await preferencesOf('Ubob')
  expect(bob.server).toMatchObject({ level: DEFAULT, effectiveLevel: NORMAL })
  expect(bob.rooms).toMatchObject([{ roomId: 'R2' }])
})

test('nothing is left of a deleted person', async () => {
  await store(['Ugone', '', 'muted'], ['Ugone', 'R1', 'muted'], ['Ustays', 'R1', 'muted'])
  await requestErasure(bus, 'Ugone', 1)
  await eventually(() => expect(erasures.found('Ugone', 1)).toBe(2n))
  await requestErasure(bus, 'Ugone', 2)
  await eventually(() => expect(erasures.found('Ugone', 2)).toBe(0n))
  expect((await preferencesOf('Ugone')).rooms).toEqual([])
  expect((await preferencesOf('Ustays')).rooms).toHaveLength(1)
})

test('what is owned but not built is unimplemented, after the question who calls', async () => {
  const list = (transport: ReturnType<typeof rpc.transport>) =>
    createClient(NotificationService, transport).listNotifications({})
  await expect(list(rpc.transport())).rejects.toMatchObject({ code: Code.Unauthenticated })
  await expect(list(callAs(rpc, { userId: 'Ualice' }))).rejects.toMatchObject({ code: Code.Unimplemented })
})

test('the process is ready', async () => {
  expect((await fetch(`http://127.0.0.1:${service.internalPort}/readyz`)).status).toBe(200)
})
