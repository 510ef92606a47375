import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { AdminRoomLayoutItemKind, type AdminRoomLayoutGroup } from '@parley/contracts/admin'
import { eventually, recordEvents } from '@parley/testkit'
import { outbox } from '../src/store/schema.ts'
import { decisionFor, createDm, createGroup } from './_seeds.ts'
import { codeOf, lobbyOf, useEnv } from './_env.ts'

const { ROOM, SIDEBAR_LINK } = AdminRoomLayoutItemKind

const env = useEnv()
let received: Awaited<ReturnType<typeof recordEvents>>
let direct: string
let actor = ''
let made = 0
let entriesBefore = 0

const manage = { permission: 'room.manage' }

beforeAll(async () => {
  env.admin.policy.decisions.push(
    decisionFor({ userId: 'Uone', ...manage, groupId: 'Gone' }),
    decisionFor({ userId: 'Utwo', ...manage, groupId: 'Gtwo' }),
    decisionFor({ userId: 'Uboth', ...manage, groupId: 'Gone' }),
    decisionFor({ userId: 'Uboth', ...manage, groupId: 'Gtwo' }),
    decisionFor({ userId: 'Unotone', ...manage, groupId: 'Gone', deny: true }),
    decisionFor({ userId: 'Umaker', permission: 'room.create', groupId: 'Gtwo' }),
    decisionFor({ userId: 'Umaker', permission: 'role.manage' }),
  )
  await env.start()
  await lobbyOf(env)
  await createGroup(env.db, 'Gone', 10)
  await createGroup(env.db, 'Gtwo', 20)
  direct = await createDm(env, ['Ualice', 'Ubob'])
  received = env.use(await recordEvents(env.bus, 'evt.>'))
})
beforeEach(async () => {
  actor = `Uadmin${++made}`
  entriesBefore = await env.db.$count(outbox)
})

/** Another user in each test, to distinguish the events. */
const admin = () => env.as(actor, 'admin').layout
const as = (userId: string) => env.as(userId).layout
/** Waits until all events have arrived, because events of different aggregates have no order. */
async function readPublished() {
  const written = await env.db.select({ id: outbox.eventId }).from(outbox).orderBy(outbox.id).offset(entriesBefore)
  await eventually(() => {
    const ids = new Set(received.events.map(({ id }) => id))
    return written.every(({ id }) => ids.has(id))
  })
  return received.events.filter(({ actorId }) => actorId === actor)
}
const about = (events: { aggregateType: string; aggregateId: string; kind: string }[]) =>
  new Set(events.map(({ aggregateType, aggregateId, kind }) => `${aggregateType}.${aggregateId}.${kind}`))

async function newRoom(groupId: string): Promise<string> {
  const { room } = await env.as('Uother', 'admin').rooms.createRoom({ name: `layout-${++made}`, groupId })
  return room?.id ?? ''
}
async function newLink(groupId: string): Promise<string> {
  const { sidebarLink } = await env.as('Uother', 'admin').layout.createSidebarLink({ groupId, label: 'Wiki', url: '/' })
  return sidebarLink?.id ?? ''
}
async function newGroup(name = 'A group'): Promise<string> {
  const { group } = await env.as('Uother', 'admin').layout.createRoomGroup({ name })
  return group?.id ?? ''
}
const listGroups = async () => (await env.as('Uother', 'admin').layout.listRoomGroups({})).groups
const idsIn = (group: AdminRoomLayoutGroup | undefined) => group?.items.map(({ item }) => item.value?.id)
const inGroup = async (groupId: string) => idsIn((await listGroups()).find(({ id }) => id === groupId))

describe('ListRoomGroups', () => {
  test('shows every group with all rooms and links, in order', async () => {
    const groupId = await newGroup('Shown')
    const [room, link] = [await newRoom(groupId), await newLink(groupId)]
    await env.as('Uother', 'admin').rooms.archiveRoom({ roomId: room })
    const groups = await listGroups()
    expect(groups.map(({ id }) => id).slice(0, 3)).toEqual([expect.any(String), 'Gone', 'Gtwo'])
    expect(groups.at(-1)).toMatchObject({
      ...{ id: groupId, name: 'Shown', description: '', canCreateRoom: true },
      items: [
        { item: { case: 'room', value: { id: room, archived: true, groupId } } },
        { item: { case: 'sidebarLink', value: { id: link, label: 'Wiki', url: '/' } } },
      ],
    })
  })

  test('returns whether the viewer may create rooms in each group', async () => {
    const { groups } = await as('Umaker').listRoomGroups({})
    expect(groups.filter(({ canCreateRoom }) => canCreateRoom).map(({ id }) => id)).toEqual(['Gtwo'])
  })
})

describe('groups', () => {
  test('are created at the end, and everyone is notified', async () => {
    const { group } = await admin().createRoomGroup({ name: ' Projects ', description: 'ours' })
    const id = group?.id ?? ''
    expect(group).toMatchObject({ name: 'Projects', description: 'ours', items: [], canCreateRoom: true })
    expect((await listGroups()).at(-1)?.id).toBe(id)
    const events = await readPublished()
    expect(about(events)).toEqual(new Set(['layout.server.room_groups_updated', `group.${id}.room_group_created`]))
    expect(events.find(({ aggregateType }) => aggregateType === 'layout')).toMatchObject({
      fact: { value: { groupId: id, roomId: '' } },
      deliveries: [{ audience: { case: 'everyone', value: true } }],
    })
    expect(events.find(({ aggregateType }) => aggregateType === 'group')?.deliveries).toEqual([])
  })

  test('may share a name', async () => {
    expect(await newGroup('Same')).not.toBe(await newGroup('Same'))
  })

  test('change name and description separately; equal values notify nobody', async () => {
    const groupId = await newGroup('Before')
    const named = await admin().updateRoomGroup({ groupId, name: 'After' })
    expect(named.group).toMatchObject({ id: groupId, name: 'After', description: '' })
    const described = await admin().updateRoomGroup({ groupId, description: 'words' })
    expect(described.group).toMatchObject({ name: 'After', description: 'words' })
    const same = await admin().updateRoomGroup({ groupId, name: 'After', description: 'words' })
    expect(same.group).toMatchObject({ name: 'After', description: 'words' })
    const cleared = await admin().updateRoomGroup({ groupId, description: '' })
    expect(cleared.group).toMatchObject({ name: 'After', description: '' })
    const { group } = await env.as('Ualice').directory.getRoomGroup({ groupId })
    expect(group).toMatchObject({ name: 'After', description: '' })
    await admin().deleteRoomGroup({ groupId })
    const kinds = (await readPublished()).map(({ id, kind }) => `${kind} ${id}`)
    const count = (kind: string) => new Set(kinds.filter((published) => published.startsWith(`${kind} `))).size
    expect(count('room_group_updated')).toBe(3)
    expect(count('room_groups_updated')).toBe(4)
  })

  test('can be deleted if they are empty', async () => {
    const groupId = await newGroup()
    expect(await admin().deleteRoomGroup({ groupId })).toMatchObject({ deleted: true })
    expect((await listGroups()).map(({ id }) => id)).not.toContain(groupId)
    expect(about(await readPublished())).toContain(`group.${groupId}.room_group_deleted`)
    expect(await codeOf(admin().deleteRoomGroup({ groupId }))).toBe(Code.NotFound)
    const inIt = env.as('Uother', 'admin').rooms.createRoom({ name: 'too-late', groupId })
    expect(await codeOf(inIt)).toBe(Code.NotFound)
  })

  test('cannot be deleted while they contain a link or a room, even an archived one', async () => {
    const groupId = await newGroup()
    const link = await newLink(groupId)
    expect(await codeOf(admin().deleteRoomGroup({ groupId }))).toBe(Code.FailedPrecondition)
    await admin().deleteSidebarLink({ linkId: link })
    const roomId = await newRoom(groupId)
    await env.as('Uother', 'admin').rooms.archiveRoom({ roomId })
    expect(await codeOf(admin().deleteRoomGroup({ groupId }))).toBe(Code.FailedPrecondition)
    await admin().moveRoomToGroup({ roomId, groupId: 'Gone' })
    expect(await codeOf(admin().deleteRoomGroup({ groupId }))).toBeUndefined()
  })

  test('accept an order that names each of them once', async () => {
    const before = (await listGroups()).map(({ id }) => id)
    const orderedGroupIds = [...before].reverse()
    const { groups } = await admin().reorderRoomGroups({ orderedGroupIds })
    expect(groups.map(({ id }) => id)).toEqual(orderedGroupIds)
    expect((await listGroups()).map(({ id }) => id)).toEqual(orderedGroupIds)
    const events = await readPublished()
    expect(about(events)).toEqual(new Set(['layout.server.room_groups_updated', 'layout.server.room_groups_reordered']))
    await admin().reorderRoomGroups({ orderedGroupIds })
    await admin().reorderRoomGroups({ orderedGroupIds: before })
    expect((await listGroups()).map(({ id }) => id)).toEqual(before)
  })

  test.each<[string, (all: string[]) => string[]]>([
    ['one is missing', (all) => all.slice(1)],
    ['one is named twice', (all) => [...all, all[0] ?? '']],
    ['one is missing and another named twice', (all) => [all[1] ?? '', ...all.slice(1)]],
    ['one is unknown', (all) => [...all.slice(1), 'Gnone']],
  ])('refuse an order in which %s', async (_what, order) => {
    const before = (await listGroups()).map(({ id }) => id)
    const call = admin().reorderRoomGroups({ orderedGroupIds: order(before) })
    expect(await codeOf(call)).toBe(Code.FailedPrecondition)
    expect((await listGroups()).map(({ id }) => id)).toEqual(before)
  })
})

describe('MoveRoomToGroup', () => {
  test('moves a room to the end of the other group', async () => {
    const [room, last] = [await newRoom('Gone'), await newLink('Gtwo')]
    const { room: moved } = await admin().moveRoomToGroup({ roomId: room, groupId: 'Gtwo' })
    expect(moved).toMatchObject({ id: room, groupId: 'Gtwo' })
    expect(env.messaging.factsOf(room).at(-1)).toMatchObject({
      actorId: actor,
      fact: { case: 'moved', value: { groupId: 'Gtwo' } },
    })
    expect(await inGroup('Gone')).not.toContain(room)
    expect((await inGroup('Gtwo'))?.slice(-2)).toEqual([last, room])
    const events = await readPublished()
    expect(about(events)).toEqual(new Set(['layout.server.room_groups_updated', 'group.Gone.room_removed_from_group']))
  })

  test('waits for the stream', async () => {
    const room = await newRoom('Gone')
    await admin().moveRoomToGroup({ roomId: room, groupId: 'Gtwo' })
    expect(env.messaging.waitedForStream(room)).toBe(true)
  })

  test('moves archived rooms, too; a move into the current group has no effect', async () => {
    const room = await newRoom('Gone')
    await env.as('Uother', 'admin').rooms.archiveRoom({ roomId: room })
    await admin().moveRoomToGroup({ roomId: room, groupId: 'Gtwo' })
    const { room: same } = await admin().moveRoomToGroup({ roomId: room, groupId: 'Gtwo' })
    expect(same).toMatchObject({ groupId: 'Gtwo', archived: true })
    expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined', 'archived', 'moved'])
  })

  test('needs room.manage in both groups', async () => {
    const room = await newRoom('Gone')
    const move = (userId: string) => codeOf(as(userId).moveRoomToGroup({ roomId: room, groupId: 'Gtwo' }))
    expect(await move('Uone')).toBe(Code.PermissionDenied)
    expect(await move('Utwo')).toBe(Code.PermissionDenied)
    expect(await move('Uboth')).toBeUndefined()
  })

  test.each<[string, () => Promise<unknown>, Code]>([
    ['an unknown room', () => admin().moveRoomToGroup({ roomId: 'Rnone', groupId: 'Gone' }), Code.NotFound],
    ['a direct message of others', () => admin().moveRoomToGroup({ roomId: direct, groupId: 'Gone' }), Code.NotFound],
  ])('refuses %s', async (_what, call, code) => {
    expect(await codeOf(call())).toBe(code)
  })

  test('refuses an unknown group and leaves the room where it is', async () => {
    const room = await newRoom('Gone')
    expect(await codeOf(admin().moveRoomToGroup({ roomId: room, groupId: 'Gnone' }))).toBe(Code.NotFound)
    expect(await inGroup('Gone')).toContain(room)
  })
})

describe('ReorderSidebarItemsInGroup', () => {
  let groupId: string
  let items: { kind: AdminRoomLayoutItemKind; id: string }[]
  beforeAll(async () => {
    groupId = await newGroup()
    const [first, link, second] = [await newRoom(groupId), await newLink(groupId), await newRoom(groupId)]
    await env.as('Uother', 'admin').rooms.archiveRoom({ roomId: second })
    items = [
      { kind: ROOM, id: first },
      { kind: SIDEBAR_LINK, id: link },
      { kind: ROOM, id: second },
    ]
  })

  test('orders rooms and links together, for administrators and everyone', async () => {
    const wanted = [...items].reverse()
    const { group } = await admin().reorderSidebarItemsInGroup({ groupId, items: wanted })
    expect(idsIn(group)).toEqual(wanted.map(({ id }) => id))
    const seen = await env.as('Ualice').directory.getRoomGroup({ groupId })
    expect(seen.group?.items.map(({ item }) => item.case)).toEqual(['sidebarLink', 'room'])
    expect(about(await readPublished())).toEqual(
      new Set([
        'layout.server.room_groups_updated',
        `group.${groupId}.sidebar_group_entries_reordered`,
        `group.${groupId}.rooms_in_group_reordered`,
      ]),
    )
    await admin().reorderSidebarItemsInGroup({ groupId, items })
    expect(await inGroup(groupId)).toEqual(items.map(({ id }) => id))
  })

  test.each<[string, () => typeof items]>([
    ['one is missing', () => items.slice(1)],
    ['none is named', () => []],
    ['one is named twice', () => [...items, ...items.slice(0, 1)]],
    ['one is unknown', () => [...items.slice(1), { kind: ROOM, id: 'Rnone' }]],
    ['a room is listed as a link', () => items.map(({ id }) => ({ kind: SIDEBAR_LINK, id }))],
  ])('refuses an order in which %s', async (_what, wanted) => {
    const call = admin().reorderSidebarItemsInGroup({ groupId, items: wanted() })
    expect(await codeOf(call)).toBe(Code.FailedPrecondition)
    expect(await inGroup(groupId)).toEqual(items.map(({ id }) => id))
  })

  test('refuses an unknown group, items without a kind, and callers without room.manage in the group', async () => {
    const reorder = (by: ReturnType<typeof admin>, request: object) =>
      codeOf(by.reorderSidebarItemsInGroup({ groupId, items, ...request }))
    expect(await reorder(admin(), { groupId: 'Gnone' })).toBe(Code.NotFound)
    expect(await reorder(admin(), { items: items.map(({ id }) => ({ id })) })).toBe(Code.InvalidArgument)
    expect(await reorder(as('Uone'), {})).toBe(Code.PermissionDenied)
  })
})

describe('sidebar links', () => {
  const link = { groupId: 'Gone', label: 'Wiki', url: 'https://wiki.example/a' }

  test('are created at the end, visible to everyone', async () => {
    const { sidebarLink } = await admin().createSidebarLink({ ...link, label: ' Our wiki ' })
    expect(sidebarLink).toMatchObject({ label: 'Our wiki', url: 'https://wiki.example/a' })
    const { group } = await env.as('Ualice').directory.getRoomGroup({ groupId: 'Gone' })
    expect(group?.items.at(-1)?.item).toMatchObject({ case: 'sidebarLink', value: { id: sidebarLink?.id } })
    expect(about(await readPublished())).toEqual(
      new Set(['layout.server.room_groups_updated', 'group.Gone.sidebar_link_added_to_group']),
    )
  })

  test('change label and URL separately; equal values notify nobody', async () => {
    const linkId = await newLink('Gone')
    const label = await admin().updateSidebarLink({ linkId, label: 'Handbook' })
    expect(label.sidebarLink).toMatchObject({ id: linkId, label: 'Handbook', url: '/' })
    const url = await admin().updateSidebarLink({ linkId, url: '/handbook' })
    expect(url.sidebarLink).toMatchObject({ label: 'Handbook', url: '/handbook' })
    await admin().updateSidebarLink({ linkId, url: '/handbook' })
    await admin().deleteSidebarLink({ linkId })
    const events = await readPublished()
    const updates = events.filter(({ kind }) => kind === 'sidebar_link_updated')
    expect(new Set(updates.map(({ id }) => id)).size).toBe(2)
    expect(updates[0]).toMatchObject({ aggregateType: 'group', aggregateId: 'Gone' })
  })

  test('are deleted once', async () => {
    const linkId = await newLink('Gone')
    expect(await admin().deleteSidebarLink({ linkId })).toMatchObject({ deleted: true })
    expect(await inGroup('Gone')).not.toContain(linkId)
    expect(await codeOf(admin().deleteSidebarLink({ linkId }))).toBe(Code.NotFound)
    expect(await codeOf(admin().updateSidebarLink({ linkId, label: 'x' }))).toBe(Code.NotFound)
    expect(await codeOf(admin().moveSidebarLinkToGroup({ linkId, groupId: 'Gtwo' }))).toBe(Code.NotFound)
  })

  test('move to the end of another group', async () => {
    const linkId = await newLink('Gone')
    await newLink('Gtwo')
    const { sidebarLink } = await admin().moveSidebarLinkToGroup({ linkId, groupId: 'Gtwo' })
    expect(sidebarLink).toMatchObject({ id: linkId, label: 'Wiki', url: '/' })
    expect(await inGroup('Gone')).not.toContain(linkId)
    expect((await inGroup('Gtwo'))?.at(-1)).toBe(linkId)
    expect(await codeOf(admin().moveSidebarLinkToGroup({ linkId, groupId: 'Gtwo' }))).toBeUndefined()
    expect(about(await readPublished())).toEqual(
      new Set([
        'layout.server.room_groups_updated',
        'group.Gone.sidebar_link_removed_from_group',
        'group.Gtwo.sidebar_link_added_to_group',
      ]),
    )
  })

  test('need room.manage in their group; a move needs it in both groups', async () => {
    const linkId = await newLink('Gone')
    const of = (userId: string) => ({
      create: () => codeOf(as(userId).createSidebarLink(link)),
      update: () => codeOf(as(userId).updateSidebarLink({ linkId, label: 'Mine' })),
      move: () => codeOf(as(userId).moveSidebarLinkToGroup({ linkId, groupId: 'Gtwo' })),
      delete: () => codeOf(as(userId).deleteSidebarLink({ linkId })),
    })
    for (const call of Object.values(of('Utwo'))) expect(await call()).toBe(Code.PermissionDenied)
    const { create, update, move } = of('Uone')
    expect([await create(), await update(), await move()]).toEqual([undefined, undefined, Code.PermissionDenied])
    expect(await of('Uboth').move()).toBeUndefined()
    expect(await of('Uone').delete()).toBe(Code.PermissionDenied)
    expect(await of('Utwo').delete()).toBeUndefined()
  })

  test('need room.manage in the group, even for administrators', async () => {
    const denied = env.as('Unotone', 'admin').layout
    expect(await codeOf(denied.createSidebarLink(link))).toBe(Code.PermissionDenied)
    expect(await codeOf(denied.createSidebarLink({ ...link, groupId: 'Gtwo' }))).toBeUndefined()
  })

  test.each<[string, () => Promise<unknown>, Code]>([
    ['an unknown group', () => admin().createSidebarLink({ ...link, groupId: 'Gnone' }), Code.NotFound],
    ['a blank label', () => admin().createSidebarLink({ ...link, label: ' ' }), Code.InvalidArgument],
    [
      'a label of 81 characters',
      () => admin().createSidebarLink({ ...link, label: 'x'.repeat(81) }),
      Code.InvalidArgument,
    ],
    [
      'a URL of 2049 characters',
      () => admin().createSidebarLink({ ...link, url: `/${'x'.repeat(2048)}` }),
      Code.InvalidArgument,
    ],
    [
      'a URL that runs a script',
      () => admin().createSidebarLink({ ...link, url: 'javascript:alert(1)' }),
      Code.InvalidArgument,
    ],
    [
      'a URL that names another server without a scheme',
      () => admin().createSidebarLink({ ...link, url: '//elsewhere.example' }),
      Code.InvalidArgument,
    ],
  ])('refuse %s', async (_what, call, code) => {
    expect(await codeOf(call())).toBe(code)
  })

  test('refuse an invalid label or URL, an empty change and an unknown group', async () => {
    const linkId = await newLink('Gone')
    expect(await codeOf(admin().updateSidebarLink({ linkId }))).toBe(Code.InvalidArgument)
    expect(await codeOf(admin().updateSidebarLink({ linkId, label: ' ' }))).toBe(Code.InvalidArgument)
    expect(await codeOf(admin().updateSidebarLink({ linkId, url: '/\\x' }))).toBe(Code.InvalidArgument)
    expect(await codeOf(admin().moveSidebarLinkToGroup({ linkId, groupId: 'Gnone' }))).toBe(Code.NotFound)
    expect(await inGroup('Gone')).toContain(linkId)
  })
})

describe('the methods for groups', () => {
  const manager = () => as('Uboth')
  test.each<[string, () => Promise<unknown>]>([
    ['ListRoomGroups', () => manager().listRoomGroups({})],
    ['CreateRoomGroup', () => manager().createRoomGroup({ name: 'Mine' })],
    ['UpdateRoomGroup', () => manager().updateRoomGroup({ groupId: 'Gone', name: 'Mine' })],
    ['DeleteRoomGroup', () => manager().deleteRoomGroup({ groupId: 'Gone' })],
    ['ReorderRoomGroups', () => manager().reorderRoomGroups({ orderedGroupIds: ['Gone'] })],
  ])('include %s, which needs role.manage', async (_what, call) => {
    expect(await codeOf(call())).toBe(Code.PermissionDenied)
  })

  test.each<[string, () => Promise<unknown>, Code]>([
    ['an empty name', () => admin().createRoomGroup({ name: '' }), Code.InvalidArgument],
    ['a blank name', () => admin().createRoomGroup({ name: '  ' }), Code.InvalidArgument],
    ['a name of 81 characters', () => admin().createRoomGroup({ name: 'x'.repeat(81) }), Code.InvalidArgument],
    [
      'a description of 501 characters',
      () => admin().createRoomGroup({ name: 'x', description: 'x'.repeat(501) }),
      Code.InvalidArgument,
    ],
    ['an unknown group', () => admin().updateRoomGroup({ groupId: 'Gnone', name: 'x' }), Code.NotFound],
    ['an update without fields', () => admin().updateRoomGroup({ groupId: 'Gone' }), Code.InvalidArgument],
    ['a blank new name', () => admin().updateRoomGroup({ groupId: 'Gone', name: ' ' }), Code.InvalidArgument],
  ])('refuse %s', async (_what, call, code) => {
    expect(await codeOf(call())).toBe(code)
  })
})
