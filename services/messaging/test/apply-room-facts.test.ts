import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import type { RoomFact } from '@parley/contracts/internal'
import { eventually, recordEvents } from '@parley/testkit'
import { deliveriesOf } from './_events.ts'
import { useFleet } from './_fleet.ts'
import type { RoomFeed } from './_room-feed.ts'

const fleet = useFleet({ processes: 2 })

const applyFacts = async (room: RoomFeed, facts: RoomFact[], awaitStream = false) =>
  (await fleet.messaging.applyRoomFacts({ roomId: room.roomId, facts, awaitStream })).heldVersion

const timeline = async (room: RoomFeed, reader = 'ann') => {
  const { page } = await fleet.as(reader).rooms.getRoomEvents({ roomId: room.roomId, limit: 500 })
  return (page?.events ?? []).map(({ id, actorId, event, createdAt }) => ({ id, actorId, kind: event.case, createdAt }))
}

test('facts become timeline rows and events, in order', async () => {
  const room = fleet.room()
  await using recorded = await recordEvents(fleet.bus, `evt.room.${room.roomId}.>`)
  await room.channel(['ann', 'bob'])
  await room.apply({ case: 'updated', value: { name: 'coffee' } })
  await room.archive()
  await room.unarchive()
  await room.apply({ case: 'moved', value: { groupId: 'G2' } })
  await room.setUniversal(true)
  await room.leave('bob')
  await room.ban('cyd')
  await room.unban('cyd')
  await room.apply({ case: 'banExpired', value: { userId: 'cyd' } })

  const at = (version: number) => room.facts[version - 1]
  const row = (version: number, kind: string, actorId: string) => {
    return { id: at(version)?.eventId, kind, actorId, createdAt: at(version)?.occurredAt }
  }
  expect(await timeline(room)).toEqual([
    row(1, 'roomCreated', 'maker'),
    row(2, 'userJoinedRoom', 'ann'),
    row(3, 'userJoinedRoom', 'bob'),
    row(4, 'roomUpdated', 'maker'),
    row(5, 'roomArchived', 'maker'),
    row(6, 'roomUnarchived', 'maker'),
    row(9, 'userLeftRoom', 'bob'),
    row(10, 'userLeftRoom', 'cyd'),
  ])

  const events = await eventually(() => recorded.events.length === 12 && recorded.events)
  expect(events.map(({ version, kind, id }) => [version, kind, id])).toEqual(
    [
      'room_created',
      'user_joined_room',
      'user_joined_room',
      'room_updated',
      'room_archived',
      'room_unarchived',
      'room_moved',
      'room_universal_changed',
      'user_left_room',
      'member_banned',
      'member_unbanned',
      'ban_expired',
    ].map((kind, index) => [BigInt(index + 1), kind, at(index + 1)?.eventId]),
  )
  const { roomId } = room
  const delivery = (kind: string, to: unknown = roomId, actorId = 'maker', value: object = { roomId }) => ({
    kind,
    to,
    actorId,
    value,
  })
  expect(
    events.map((event) => deliveriesOf(event).map(({ kind, to, actorId, value }) => ({ kind, to, actorId, value }))),
  ).toEqual([
    [delivery('roomCreated'), delivery('roomCreated', ['maker'])],
    [delivery('userJoinedRoom', roomId, 'ann'), delivery('userJoinedRoom', ['ann'], 'ann')],
    [delivery('userJoinedRoom', roomId, 'bob'), delivery('userJoinedRoom', ['bob'], 'bob')],
    [delivery('roomUpdated')],
    [delivery('roomArchived')],
    [delivery('roomUnarchived')],
    [],
    [delivery('roomUniversalChanged', roomId, 'maker', { roomId, universal: true })],
    [delivery('userLeftRoom', roomId, 'bob'), delivery('userLeftRoom', ['bob'], 'bob')],
    [delivery('userLeftRoom', roomId, 'cyd'), delivery('userLeftRoom', ['cyd'], 'cyd')],
    [],
    [],
  ])
  for (const event of events) {
    for (const { id } of deliveriesOf(event)) expect(id).toBe(event.id)
  }
  expect(events[9]?.fact).toMatchObject({
    case: 'roomFact',
    value: {
      roomSeq: 10n,
      fact: { version: 10n, eventId: at(10)?.eventId, fact: { case: 'banned', value: { userId: 'cyd' } } },
      header: { dm: false, groupId: 'G2', universal: true, archived: false, name: 'coffee' },
    },
  })
  expect(events[9]?.actorId).toBe('maker')
})

test('events of a direct message go only to its participants', async () => {
  const room = fleet.room()
  await using recorded = await recordEvents(fleet.bus, `evt.room.${room.roomId}.>`)
  await room.dm(['ann', 'bob'])
  const events = await eventually(() => recorded.events.length === 3 && recorded.events)
  expect(events.map((event) => deliveriesOf(event).map(({ kind, to }) => [kind, to]))).toEqual([
    [['roomCreated', ['ann', 'bob']]],
    [['userJoinedRoom', ['ann', 'bob']]],
    [['userJoinedRoom', ['ann', 'bob']]],
  ])
  expect(await timeline(room)).toHaveLength(3)
})

describe('a ban', () => {
  test('ends the membership, which the end of the ban does not restore', async () => {
    const room = await fleet.room().channel(['ann', 'bob'])
    await room.ban('bob')
    expect((await timeline(room)).at(-1)).toMatchObject({ kind: 'userLeftRoom', actorId: 'bob' })
    await expect(timeline(room, 'bob')).rejects.toMatchObject({ code: Code.PermissionDenied })
    await room.unban('bob')
    await expect(timeline(room, 'bob')).rejects.toMatchObject({ code: Code.PermissionDenied })
    await room.join('bob')
    expect(await timeline(room, 'bob')).toHaveLength(5)
  })

  test('of a non-member is not announced to clients', async () => {
    const room = await fleet.room().channel(['ann'])
    await using recorded = await recordEvents(fleet.bus, `evt.room.${room.roomId}.member_banned`)
    await room.ban('bob')
    expect(await timeline(room)).toHaveLength(2)
    const [event] = await eventually(() => recorded.events.length > 0 && recorded.events)
    expect(event?.deliveries).toEqual([])
  })
})

describe('facts', () => {
  test('that are repeated change nothing', async () => {
    const room = fleet.room()
    await using recorded = await recordEvents(fleet.bus, `evt.room.${room.roomId}.>`)
    await room.channel(['ann', 'bob'])
    expect(await applyFacts(room, room.facts)).toBe(3n)
    expect(await applyFacts(room, room.facts.slice(0, 1), true)).toBe(3n)
    expect(await applyFacts(room, [])).toBe(3n)
    expect(await timeline(room)).toHaveLength(3)
    await room.join('cyd')
    const joined = room.facts.at(-1)?.eventId
    await eventually(() => recorded.events.some(({ id }) => id === joined))
    expect(recorded.events).toHaveLength(4)
  })

  test('after a gap are not applied', async () => {
    const room = await fleet.room().channel(['ann'])
    room.add({ case: 'joined', value: { userId: 'bob' } })
    room.add({ case: 'joined', value: { userId: 'cyd' } })
    const [, , bob, cyd] = room.facts
    if (!bob || !cyd) throw new Error('facts are missing')
    expect(await applyFacts(room, [cyd])).toBe(2n)
    await expect(timeline(room, 'cyd')).rejects.toMatchObject({ code: Code.PermissionDenied })
    expect(await applyFacts(room, [cyd, bob])).toBe(2n)
    expect(await applyFacts(room, [bob])).toBe(3n)
    expect(await applyFacts(room, [bob, cyd])).toBe(4n)
    expect(await timeline(room, 'cyd')).toHaveLength(4)
  })

  test('of an unknown room are not stored before its first fact', async () => {
    const room = fleet.room()
    room.add({ case: 'created', value: {} })
    room.add({ case: 'joined', value: { userId: 'ann' } })
    expect(await applyFacts(room, room.facts.slice(1))).toBe(0n)
    expect(await applyFacts(room, [])).toBe(0n)
    await expect(timeline(room)).rejects.toMatchObject({ code: Code.NotFound })
    expect(await applyFacts(room, room.facts)).toBe(2n)
  })

  test('delivered concurrently to several processes are applied once, in order', async () => {
    const room = fleet.room()
    await using recorded = await recordEvents(fleet.bus, `evt.room.${room.roomId}.>`)
    room.add({ case: 'created', value: {} })
    for (let n = 0; n < 20; n++) room.add({ case: 'joined', value: { userId: `p${n}` } })
    const slices = Array.from({ length: 12 }, (_, n) => room.facts.slice(0, 10 + n))
    const held = await Promise.all(slices.map((facts) => applyFacts(room, facts, true)))
    expect(held.some((version) => version === 21n)).toBe(true)
    held.forEach((version, index) => expect(version).toBeGreaterThanOrEqual(BigInt(slices[index]?.length ?? 0)))
    await fleet.untilRelayed(room.roomId)
    await eventually(() => recorded.events.length >= 21)
    expect(recorded.events.map(({ version }) => version)).toEqual(Array.from({ length: 21 }, (_, n) => BigInt(n + 1)))
    expect(await timeline(room, 'p0')).toHaveLength(21)
  })

  test('that are invalid are refused and not applied', async () => {
    const room = fleet.room()
    room.add({ case: 'joined', value: { userId: 'ann' } })
    await expect(applyFacts(room, room.facts)).rejects.toMatchObject({ code: Code.InvalidArgument })
    expect(await applyFacts(room, [])).toBe(0n)
    const other = await fleet.room().channel(['ann'])
    other.add({ case: undefined })
    await expect(applyFacts(other, other.facts)).rejects.toMatchObject({ code: Code.Unimplemented })
    expect(await applyFacts(other, [])).toBe(2n)
  })
})
