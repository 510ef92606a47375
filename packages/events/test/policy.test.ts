import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { create } from '@bufbuild/protobuf'
import { GetPolicyResponseSchema, type GetPolicyResponse } from '@parley/contracts/internal'
import type { Bus } from '@parley/rpc'
import { eventually } from '@parley/tooling/eventually'
import {
  declareStreams,
  enqueue,
  followControl,
  followPolicy,
  startRelay,
  type ControlFeed,
  type Relay,
} from '../src/index.ts'
import { waitUntilStored } from './_events.ts'
import { newBus, newDatabase, newServer, withStream } from './_servers.ts'

type Database = Awaited<ReturnType<typeof newDatabase>>

let bus: Bus
let database: Database
let relay: Relay

withStream((stream) => (bus = stream.bus))
beforeAll(async () => {
  database = await newDatabase()
  relay = await startRelay({ ...database, bus, service: 'policy' })
})

afterAll(async () => {
  await relay[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const policyAt = (revision: number): GetPolicyResponse =>
  create(GetPolicyResponseSchema, { revision: BigInt(revision) })

/** Each revision adds a role named after it, such as `r11`. */
async function announce(revision: number): Promise<void> {
  const ids = await database.db.transaction((tx) =>
    enqueue(tx, {
      kind: 'policy_changed',
      aggregateType: 'policy',
      aggregateId: 'server',
      version: BigInt(revision),
      occurredAt: new Date(),
      actorId: '',
      fact: { case: 'policy', value: { revision: BigInt(revision), roles: [{ id: `r${revision}` }] } },
    }),
  )
  await waitUntilStored(relay, ids)
}

/** A feed that never counts as silent, so that a slow machine causes no reload of the policy. */
async function steadyFeed(): Promise<ControlFeed> {
  const feed = await followControl({ bus, onEvent: () => undefined, onReset: () => undefined })
  return { ...feed, healthyAgoMs: () => 0 }
}

test('deltas are applied without loading the policy again', async () => {
  let loads = 0
  const revisions: number[] = []
  await using feed = await steadyFeed()
  await using policy = await followPolicy({
    feed,
    load: () => {
      loads++
      return Promise.resolve(policyAt(10))
    },
  })
  using _listening = policy.subscribe((now) => void revisions.push(Number(now.revision)))
  await announce(11)
  await announce(12)
  await eventually(() => expect(policy.current().revision).toBe(12n))
  expect([...policy.current().roles.keys()]).toEqual(['r11', 'r12'])
  expect(revisions).toEqual([11, 12])
  expect(loads).toBe(1)
})

/** A fake of admin that returns the policy at revision `known` and counts the loads. */
const fakeAdmin = (known: number) => {
  const fake = { known, loads: 0, load: () => Promise.resolve((fake.loads++, policyAt(fake.known))) }
  return fake
}

test('a missing delta causes a load of the whole policy', async () => {
  const admin = fakeAdmin(20)
  await using feed = await steadyFeed()
  await using policy = await followPolicy({ feed, load: admin.load })
  admin.known = 25
  await announce(24)
  await eventually(() => expect(policy.current().revision).toBe(25n))
  expect(admin.loads).toBe(2)
  await announce(26)
  await eventually(() => expect([...policy.current().roles.keys()]).toEqual(['r26']))
  expect(admin.loads).toBe(2)
})

test('a delta with an old revision, as after a restore, causes a load of the policy', async () => {
  const admin = fakeAdmin(70)
  await using feed = await steadyFeed()
  await using policy = await followPolicy({ feed, load: admin.load })
  admin.known = 60
  await announce(60)
  await eventually(() => expect(policy.current().revision).toBe(60n))
  expect(policy.highest()).toBe(70n)
  await announce(61)
  await eventually(() => expect([...policy.current().roles.keys()]).toEqual(['r61']))
  expect(admin.loads).toBe(2)
})

test('loadFresh returns the current policy before its delta arrives, and rejects if the policy cannot be loaded', async () => {
  let answer = () => Promise.resolve(policyAt(80))
  await using feed = await steadyFeed()
  await using policy = await followPolicy({ feed, load: () => answer() })
  answer = () => Promise.resolve(policyAt(82))
  expect((await policy.loadFresh()).revision).toBe(82n)
  expect(policy.current().revision).toBe(82n)
  answer = () => Promise.reject(new Error('admin is unavailable'))
  await expect(policy.loadFresh()).rejects.toThrow('admin is unavailable')
  expect(policy.current().revision).toBe(82n)
  await announce(83)
  await eventually(() => expect([...policy.current().roles.keys()]).toEqual(['r83']))
})

test('a delta that arrives during a load is not lost', async () => {
  const resolvers: ((policy: GetPolicyResponse) => void)[] = []
  const starting = followPolicy({ bus, load: () => new Promise((resolve) => resolvers.push(resolve)) })
  await eventually(() => expect(resolvers).toHaveLength(1))
  await announce(31)
  await using feed = await steadyFeed()
  const other = await followPolicy({ feed, load: () => Promise.resolve(policyAt(31)) })
  await announce(32)
  await eventually(() => expect(other.current().revision).toBe(32n))
  await other[Symbol.asyncDispose]()
  resolvers[0]?.(policyAt(30))
  await using policy = await starting
  await eventually(() => expect(policy.current().revision).toBe(32n))
  expect([...policy.current().roles.keys()]).toEqual(['r31', 'r32'])
})

test('the policy is loaded even if admin starts late, and again while the feed is silent', async () => {
  await using own = await newServer()
  await using ownBus = await newBus(own)
  await declareStreams(ownBus)
  let fails = 2
  let loads = 0
  await using policy = await followPolicy({
    bus: ownBus,
    load: () => {
      if (fails-- > 0) return Promise.reject(new Error('admin is not up'))
      return Promise.resolve(policyAt(40 + ++loads))
    },
  })
  expect(policy.current().revision).toBe(41n)
  await own.stop()
  await eventually(() => expect(policy.current().revision).toBeGreaterThanOrEqual(43n))
  await own.start()
})
