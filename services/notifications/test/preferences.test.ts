import { Code } from '@connectrpc/connect'
import { fromBinary } from '@bufbuild/protobuf'
import { beforeAll, expect, test } from '@jest/globals'
import { NotificationLevel } from '@parley/contracts/api'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'
import { eventually, requestErasure } from '@parley/testkit'
import { useFleet } from './_fleet.ts'

const { UNSPECIFIED, DEFAULT, MUTED, NORMAL, ALL_MESSAGES } = NotificationLevel

const fleet = useFleet()
beforeAll(async () => {
  await fleet.start()
  fleet.fakes.room('R1', ['Uann', 'Ubob', 'Ucat', 'Ugone', 'Ustays'])
})

const preferencesOf = (userId: string) => fleet.internal.getPreferences({ userId })

const publishedOf = (userId: string) => {
  const events = fleet.published.events.filter(({ aggregateId }) => aggregateId === userId)
  return [...new Map(events.map((event) => [event.id, event])).values()].map(({ kind, version, fact, deliveries }) => {
    const [delivery] = deliveries
    const { event } = fromBinary(RealtimeEventEnvelopeSchema, delivery?.envelope ?? new Uint8Array())
    const level = fact.case === 'notificationLevel' ? fact.value.level : undefined
    return { kind, version, level, to: delivery?.audience.value, published: event.value }
  })
}

test('without a chosen level, the effective level is NORMAL', async () => {
  const { server, rooms } = await preferencesOf('Unew')
  expect(server).toMatchObject({ level: DEFAULT, effectiveLevel: NORMAL })
  expect(rooms).toEqual([])
  const { preferences } = fleet.as('Ucat')
  expect(await preferences.getServerNotificationPreference({})).toMatchObject({
    preference: { level: DEFAULT, effectiveLevel: NORMAL },
  })
  expect(await preferences.getRoomNotificationPreference({ roomId: 'R1' })).toMatchObject({
    preference: { level: DEFAULT, effectiveLevel: NORMAL },
  })
})

test('choosing a level waits until messaging has applied it, but succeeds if messaging is unavailable', async () => {
  const { levels, unavailableMethods } = fleet.fakes
  const { preferences } = fleet.as('Ustays')
  await preferences.updateRoomNotificationPreference({ roomId: 'R1', level: MUTED })
  const first = levels.at(-1)
  expect(first).toMatchObject({ userId: 'Ustays', roomId: 'R1', level: MUTED })
  unavailableMethods.add('applyNotificationLevel')
  await preferences.updateRoomNotificationPreference({ roomId: 'R1', level: ALL_MESSAGES })
  unavailableMethods.clear()
  await preferences.updateRoomNotificationPreference({ roomId: 'R1', level: DEFAULT })
  expect(levels.at(-1)).toEqual({ ...first, level: DEFAULT, version: expect.any(BigInt) })
  expect(levels.at(-1)?.version).toBeGreaterThan(first?.version ?? 0n)
})

test('if messaging has a newer version than the restored database, the next level gets a version above it', async () => {
  const { levels } = fleet.fakes
  const version = BigInt(Date.now() + 60_000) * 1000n
  levels.push({ userId: 'Uback', roomId: '', level: NORMAL, version })
  await fleet.as('Uback').preferences.updateServerNotificationPreference({ level: MUTED })
  expect(levels.at(-1)).toEqual({ userId: 'Uback', roomId: '', level: MUTED, version: version + 1n })
  await eventually(() => expect(publishedOf('Uback').at(-1)).toMatchObject({ version: version + 1n, level: MUTED }))
})

test('choosing the same level again sends it to messaging, which may have stored another level', async () => {
  const { levels } = fleet.fakes
  const choose = () => fleet.as('Ukeeps').preferences.updateServerNotificationPreference({ level: MUTED })
  await choose()
  const version = BigInt(Date.now() + 60_000) * 1000n
  levels.push({ userId: 'Ukeeps', roomId: '', level: NORMAL, version })
  await choose()
  expect(levels.at(-1)).toEqual({ userId: 'Ukeeps', roomId: '', level: MUTED, version: version + 1n })
})

test('a chosen level applies only to its user, and is announced', async () => {
  const { preferences } = fleet.as('Uann')
  expect(await preferences.updateServerNotificationPreference({ level: ALL_MESSAGES })).toMatchObject({
    preference: { level: ALL_MESSAGES, effectiveLevel: ALL_MESSAGES },
  })
  expect(await preferences.getRoomNotificationPreference({ roomId: 'R1' })).toMatchObject({
    preference: { level: DEFAULT, effectiveLevel: ALL_MESSAGES },
  })
  expect(await preferences.updateRoomNotificationPreference({ roomId: 'R1', level: MUTED })).toMatchObject({
    preference: { level: MUTED, effectiveLevel: MUTED },
  })
  expect(await preferences.getRoomNotificationPreference({ roomId: 'R1' })).toMatchObject({
    preference: { level: MUTED, effectiveLevel: MUTED },
  })
  expect(await preferencesOf('Uann')).toMatchObject({
    server: { level: ALL_MESSAGES, effectiveLevel: ALL_MESSAGES },
    rooms: [{ roomId: 'R1', preference: { level: MUTED, effectiveLevel: MUTED } }],
  })
  expect(await preferencesOf('Ubob')).toMatchObject({ server: { level: DEFAULT }, rooms: [] })
  await eventually(() => expect(publishedOf('Uann')).toHaveLength(2))
  expect(publishedOf('Uann')).toMatchObject([
    {
      ...{
        kind: 'user_server_notification_level_set',
        version: expect.any(BigInt),
        level: ALL_MESSAGES,
        to: { userIds: ['Uann'] },
      },
      published: { roomId: '', level: ALL_MESSAGES, effectiveLevel: ALL_MESSAGES },
    },
    {
      ...{ kind: 'user_room_notification_level_set', version: expect.any(BigInt), level: MUTED },
      published: { roomId: 'R1', level: MUTED, effectiveLevel: MUTED },
    },
  ])
})

test('DEFAULT removes the level, and a call that changes nothing is not announced', async () => {
  const { preferences } = fleet.as('Ubob')
  await preferences.updateServerNotificationPreference({ level: DEFAULT })
  await preferences.updateServerNotificationPreference({ level: MUTED })
  await preferences.updateServerNotificationPreference({ level: MUTED })
  await preferences.updateRoomNotificationPreference({ roomId: 'R1', level: NORMAL })
  expect(await preferences.updateRoomNotificationPreference({ roomId: 'R1', level: DEFAULT })).toMatchObject({
    preference: { level: DEFAULT, effectiveLevel: MUTED },
  })
  await preferences.updateRoomNotificationPreference({ roomId: 'R1', level: DEFAULT })
  expect(await preferences.updateServerNotificationPreference({ level: DEFAULT })).toMatchObject({
    preference: { level: DEFAULT, effectiveLevel: NORMAL },
  })
  await eventually(() => expect(publishedOf('Ubob')).toHaveLength(4))
  expect(publishedOf('Ubob')).toMatchObject([
    { kind: 'user_server_notification_level_set', version: expect.any(BigInt) },
    { kind: 'user_room_notification_level_set', version: expect.any(BigInt) },
    { kind: 'user_room_notification_level_cleared', version: expect.any(BigInt), level: DEFAULT },
    {
      kind: 'user_server_notification_level_cleared',
      version: expect.any(BigInt),
      published: { level: DEFAULT, effectiveLevel: NORMAL },
    },
  ])
})

test('only members of a room can get or choose their level for it', async () => {
  const { preferences } = fleet.as('Ustranger')
  for (const request of [
    (roomId: string) => preferences.getRoomNotificationPreference({ roomId }),
    (roomId: string) => preferences.updateRoomNotificationPreference({ roomId, level: MUTED }),
  ]) {
    await expect(request('R1')).rejects.toMatchObject({ code: Code.PermissionDenied })
    await expect(request('Rnone')).rejects.toMatchObject({ code: Code.NotFound })
  }
})

test('the level UNSPECIFIED is refused', async () => {
  const { preferences } = fleet.as('Uann')
  await expect(preferences.updateServerNotificationPreference({ level: UNSPECIFIED })).rejects.toMatchObject({
    code: Code.InvalidArgument,
  })
  await expect(
    preferences.updateRoomNotificationPreference({ roomId: 'R1', level: UNSPECIFIED }),
  ).rejects.toMatchObject({ code: Code.InvalidArgument })
})

test('the levels of a deleted person are deleted', async () => {
  for (const userId of ['Ugone', 'Ustays'])
    await fleet.as(userId).preferences.updateRoomNotificationPreference({ roomId: 'R1', level: MUTED })
  await requestErasure(fleet.bus, 'Ugone', 1)
  await eventually(() => expect(fleet.erasures.found('Ugone', 1)).toBe(2n))
  await requestErasure(fleet.bus, 'Ugone', 2)
  await eventually(() => expect(fleet.erasures.found('Ugone', 2)).toBe(0n))
  expect((await preferencesOf('Ugone')).rooms).toEqual([])
  expect((await preferencesOf('Ustays')).rooms).toHaveLength(1)
})
