import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { applyDelta, defaultPolicy, may, policyFrom, type Scope } from '@parley/permissions'
import { fromBinary } from '@bufbuild/protobuf'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { EventBatchSchema } from '@parley/contracts/internal'
import { eventually, retryWhileOverloaded, recordEvents } from '@parley/testkit'
import { testAdmin, type TestAdmin } from './_admin.ts'
import { announce } from './_announce.ts'
import { startFakeServices } from './_fake-services.ts'

const policySubject = 'evt.control.policy.server.policy_changed'
const everyone = { userId: 'Ualice', roleIds: [] }
const inRoom = (roomId: string): Scope => ({ kind: 'room', roomId, groupId: 'G1' })

let admin: TestAdmin

beforeAll(async () => {
  admin = await testAdmin()
})

afterAll(() => admin[Symbol.asyncDispose]())

const getPolicy = () => admin.anonymous.internal.getPolicy({})

test('processes that start concurrently on an empty database seed it once', async () => {
  await Promise.all([admin.start(), admin.start()])
  const policy = await getPolicy()
  expect(policy.revision).toBe(1n)
  expect(policy.roles).toHaveLength(4)
  expect(policy.decisions).toHaveLength(25)
  expect(policyFrom(policy).decisions).toEqual(policyFrom(defaultPolicy()).decisions)
})

test('denying everyone posting in a room is published once', async () => {
  await using recording = await recordEvents(admin.bus, policySubject)
  const { events } = recording
  const before = policyFrom(await getPolicy())
  expect(may(before, everyone, 'message.post', inRoom('Rnews'))).toBe(true)

  const { revision } = await admin.anonymous.internal.denyPosting({ roomId: 'Rnews', actorId: 'Uada' })
  expect(revision).toBeGreaterThan(before.revision)
  const after = policyFrom(await getPolicy())
  expect(after.revision).toBe(revision)
  expect(may(after, everyone, 'message.post', inRoom('Rnews'))).toBe(false)
  expect(may(after, everyone, 'message.post', inRoom('Rother'))).toBe(true)

  expect(await admin.anonymous.internal.denyPosting({ roomId: 'Rnews', actorId: 'Uada' })).toMatchObject({ revision })
  const next = await admin.anonymous.internal.denyPosting({ roomId: 'Rmore', actorId: '' })
  expect(next.revision).toBeGreaterThan(revision)

  await eventually(() => expect(events).toHaveLength(2))
  expect(events.map(({ version, actorId }) => [version, actorId])).toEqual([
    [revision, 'Uada'],
    [next.revision, ''],
  ])
  const grown = events.reduce(
    (policy, { fact }) => (fact.case === 'policy' ? applyDelta(policy, fact.value) : policy),
    before,
  )
  expect(grown.decisions).toEqual(policyFrom(await getPolicy()).decisions)
})

test('one call denies everyone finding and joining a room', async () => {
  const { revision } = await admin.anonymous.internal.denyEntry({ roomId: 'Rprivate' })
  const after = policyFrom(await getPolicy())
  expect(after.revision).toBe(revision)
  for (const permission of ['room.list', 'room.join'] as const) {
    expect(may(after, everyone, permission, inRoom('Rprivate'))).toBe(false)
    expect(may(after, everyone, permission, inRoom('Ropen'))).toBe(true)
  }
  expect(may(after, everyone, 'message.post', inRoom('Rprivate'))).toBe(true)
  expect(await admin.anonymous.internal.denyEntry({ roomId: 'Rprivate' })).toMatchObject({ revision })
})

test('decisions for a deleted group are removed', async () => {
  const deny = async (id: string) => {
    const scope = { kind: PermissionScopeKind.GROUP, id }
    const denial = { permission: 'room.create', decision: PermissionDecision.DENY, scope }
    await admin.owner.adminPermissions.setRolePermission({ ...denial, roleName: 'moderator' })
    await admin.owner.adminPermissions.setUserPermission({ ...denial, userId: 'Uada' })
  }
  await using fakes = await startFakeServices(admin)
  fakes.people = [{ id: 'Uada' }]
  fakes.groups = ['Ggone', 'Gkept'].map((groupId) => ({ groupId, name: groupId }))
  await deny('Ggone')
  await deny('Gkept')
  const about = async (id: string) => (await getPolicy()).decisions.filter(({ scope }) => scope?.id === id)
  expect(await about('Ggone')).toHaveLength(2)
  const published = { kind: 'room_group_deleted', aggregateType: 'group', aggregateId: 'Ggone', version: 7n } as const
  await announce(admin.bus, { ...published, actorId: 'Uada' })
  await eventually(async () => expect(await about('Ggone')).toEqual([]))
  expect(await about('Gkept')).toHaveLength(2)
  const cleared = async () => {
    const { entries } = await admin.owner.eventLog.listEvents({ filter: { eventType: 'RbacPermissionClearedEvent' } })
    return entries.map(({ subject, actorId }) => [subject, actorId]).sort()
  }
  await eventually(async () =>
    expect(await cleared()).toEqual([
      ['evt.rbac.Uada.rbac_permission_cleared', 'Uada'],
      ['evt.rbac.moderator.rbac_permission_cleared', 'Uada'],
    ]),
  )
})

test('denying everyone posting waits for the stream', async () => {
  const { revision } = await admin.anonymous.internal.denyPosting({ roomId: 'Rstored' })
  const jsm = await admin.bus.nc.jetstreamManager()
  const last = await jsm.streams.getMessage('EVENTS', { last_by_subj: policySubject })
  expect(fromBinary(EventBatchSchema, last.data).events.at(-1)?.version).toBe(revision)
})

test('each of several concurrent denials gets its own revision', async () => {
  await using recording = await recordEvents(admin.bus, policySubject)
  const { revision: before } = await getPolicy()
  const rooms = Array.from({ length: 20 }, (_, n) => `Rrace${n}`)
  // A call that waits too long for the lock of the policy is refused, and repeated here. If it took effect anyway, the
  // repeat returns the newest revision, so the revisions of the published events are compared.
  await Promise.all(rooms.map((roomId) => retryWhileOverloaded(() => admin.anonymous.internal.denyPosting({ roomId }))))
  const { events } = recording
  await eventually(() => expect(events).toHaveLength(rooms.length))
  const published = events.flatMap(({ fact }) => (fact.case === 'policy' ? fact.value.decisions : []))
  expect(published.map(({ scope }) => scope?.id).sort()).toEqual([...rooms].sort())
  const revisions = events.map(({ version }) => version)
  expect(new Set(revisions).size).toBe(rooms.length)
  expect(revisions.every((revision) => revision > before)).toBe(true)
})

test('the start of another process does not change the policy', async () => {
  const before = await getPolicy()
  await using _third = await admin.start()
  expect(await getPolicy()).toEqual(before)
})
