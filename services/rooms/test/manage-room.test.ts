import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { eventually, recordEvents } from '@parley/testkit'
import { createDm } from './_seeds.ts'
import { codeOf, lobbyOf, makeRoom, useEnv } from './_env.ts'

const env = useEnv()
let groupId: string
let direct: string
let room: string
let made = 0

beforeAll(async () => {
  await env.start()
  groupId = await lobbyOf(env)
  direct = await createDm(env, ['Ualice', 'Ubob'])
})
beforeEach(async () => {
  room = await makeRoom(env, `managed-${++made}`)
})

const admin = () => env.as('Uadmin', 'admin')
const owner = () => env.as('Uowner', 'owner').rooms

describe('UpdateRoom', () => {
  test('changes name and description, and messaging has the fact before the response', async () => {
    const { room: after } = await owner().updateRoom({ roomId: room, name: `New-${made}`, description: 'fresh' })
    expect(after).toMatchObject({ name: `New-${made}`, description: 'fresh', universal: false })
    expect(env.messaging.factsOf(room).at(-1)).toMatchObject({
      actorId: 'Uowner',
      fact: { case: 'updated', value: { name: `New-${made}` } },
    })
  })

  test('announces a new name to everyone, and no other change', async () => {
    await using recording = await recordEvents(env.bus, 'evt.layout.>')
    await owner().updateRoom({ roomId: room, description: 'words' })
    await owner().updateRoom({ roomId: room, name: `managed-${made}`, description: 'other words' })
    await owner().updateRoom({ roomId: room, name: `Renamed-${made}` })
    // The announcement of the creation may still arrive.
    const events = () =>
      recording.events.filter(
        ({ actorId, fact }) => actorId === 'Uowner' && fact.case === 'layoutChanged' && fact.value.roomId === room,
      )
    await eventually(() => expect(events()).toHaveLength(1))
    const end = await makeRoom(env, `after-${made}`)
    await eventually(() =>
      expect(recording.events.some(({ fact }) => fact.case === 'layoutChanged' && fact.value.roomId === end)).toBe(
        true,
      ),
    )
    expect(events()).toMatchObject([{ kind: 'room_groups_updated', deliveries: [{ audience: { case: 'everyone' } }] }])
  })

  test('clears the description if it is empty, and leaves absent fields unchanged', async () => {
    await owner().updateRoom({ roomId: room, description: 'words' })
    const { room: after } = await owner().updateRoom({ roomId: room, description: '' })
    expect(after).toMatchObject({ name: `managed-${made}`, description: '' })
  })

  test('makes a room universal; making it no longer universal waits for the stream', async () => {
    const isMember = async () => {
      const { room: seen } = await env.as('Ualice').directory.getRoom({ roomId: room })
      return seen?.viewerState?.isMember
    }
    await owner().updateRoom({ roomId: room, universal: true })
    expect(await isMember()).toBe(true)
    await owner().updateRoom({ roomId: room, universal: false })
    expect(env.messaging.waitedForStream(room)).toBe(true)
    expect(await isMember()).toBe(false)
    expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined', 'universal', 'universal'])
    const { rooms } = await env.internal.listUniversalRooms({})
    expect(rooms.find(({ roomId }) => roomId === room)).toMatchObject({ universal: false })
  })

  test('writes two facts if both name and universality change', async () => {
    await owner().updateRoom({ roomId: room, name: `both-${made}`, universal: true })
    expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined', 'updated', 'universal'])
  })

  test('writes nothing if nothing changes', async () => {
    await owner().updateRoom({ roomId: room, name: `managed-${made}`, universal: false })
    expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined'])
  })

  test('allows its own name in another letter case', async () => {
    const { room: after } = await owner().updateRoom({ roomId: room, name: `MANAGED-${made}` })
    expect(after?.name).toBe(`MANAGED-${made}`)
    expect(await codeOf(owner().updateRoom({ roomId: room, name: 'General' }))).toBe(Code.AlreadyExists)
  })

  test.each<[string, () => Promise<unknown>, Code]>([
    ['an update without fields', () => owner().updateRoom({ roomId: room }), Code.InvalidArgument],
    ['an invalid name', () => owner().updateRoom({ roomId: room, name: 'two words' }), Code.InvalidArgument],
    ['an unknown room', () => owner().updateRoom({ roomId: 'Rnone', name: 'x' }), Code.NotFound],
    ['a direct message of others', () => owner().updateRoom({ roomId: direct, universal: true }), Code.NotFound],
    [
      'a caller without room.manage',
      () => env.as('Ualice').rooms.updateRoom({ roomId: room, name: 'x' }),
      Code.PermissionDenied,
    ],
  ])('refuses %s', async (_what, call, code) => {
    expect(await codeOf(call())).toBe(code)
  })
})

describe('ArchiveRoom and UnarchiveRoom', () => {
  test('hide and restore the room, and both are announced', async () => {
    await using received = await recordEvents(env.bus, 'evt.layout.>')
    const isListed = async () => {
      const { group } = await admin().directory.getRoomGroup({ groupId })
      return group?.items.some(({ item }) => item.case === 'room' && item.value.room?.id === room)
    }
    const { room: archived } = await owner().archiveRoom({ roomId: room })
    expect(archived).toMatchObject({ id: room, archived: true })
    expect(env.messaging.waitedForStream(room)).toBe(true)
    expect(await isListed()).toBe(false)
    const { room: restored } = await owner().unarchiveRoom({ roomId: room })
    expect(restored).toMatchObject({ archived: false })
    expect(await isListed()).toBe(true)
    expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined', 'archived', 'unarchived'])
    // The event about the creation may arrive late.
    const publishedEvents = () => received.events.filter(({ actorId }) => actorId === 'Uowner')
    await eventually(() => expect(publishedEvents()).toHaveLength(2))
  })

  test('succeed when repeated', async () => {
    await owner().archiveRoom({ roomId: room })
    await owner().archiveRoom({ roomId: room })
    await owner().unarchiveRoom({ roomId: room })
    await owner().unarchiveRoom({ roomId: room })
    expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined', 'archived', 'unarchived'])
  })

  test.each<[string, () => Promise<unknown>, Code]>([
    ['an unknown room', () => owner().archiveRoom({ roomId: 'Rnone' }), Code.NotFound],
    ['a direct message of others', () => owner().archiveRoom({ roomId: direct }), Code.NotFound],
    [
      'archiving without room.manage',
      () => env.as('Ualice').rooms.archiveRoom({ roomId: room }),
      Code.PermissionDenied,
    ],
    [
      'unarchiving without room.manage',
      () => env.as('Ualice').rooms.unarchiveRoom({ roomId: room }),
      Code.PermissionDenied,
    ],
  ])('refuse %s', async (_what, call, code) => {
    expect(await codeOf(call())).toBe(code)
  })
})
