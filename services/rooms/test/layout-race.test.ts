import { beforeAll, describe, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { AdminRoomLayoutItemKind } from '@parley/contracts/admin'
import { eventually } from '@parley/testkit'
import { eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { layoutItems, roomGroups, rooms, sidebarLinks } from '../src/store/schema.ts'
import { codeOf, lobbyOf, useEnv } from './_env.ts'

const { ROOM, SIDEBAR_LINK } = AdminRoomLayoutItemKind

const env = useEnv()
let made = 0

beforeAll(async () => {
  await env.start()
  await env.start()
  await lobbyOf(env)
})

const admin = () => env.as('Uadmin', 'admin')
const newGroup = async () => (await admin().layout.createRoomGroup({ name: 'A group' })).group?.id ?? ''
async function newRoom(groupId: string): Promise<string> {
  const { room } = await admin().rooms.createRoom({ name: `race-${++made}`, groupId })
  return room?.id ?? ''
}
async function newLink(groupId: string): Promise<string> {
  const { sidebarLink } = await admin().layout.createSidebarLink({ groupId, label: 'Link', url: '/' })
  return sidebarLink?.id ?? ''
}
const idsIn = async (groupId: string) => {
  const { groups } = await admin().layout.listRoomGroups({})
  return groups.find(({ id }) => id === groupId)?.items.map(({ item }) => item.value?.id)
}
const asRooms = (ids: string[]) => ids.map((id) => ({ kind: ROOM, id }))

/** Each room and link has one item, each room is in the group that its row names, and no positions are shared. */
async function assertNothingLostOrDuplicated(): Promise<void> {
  const [items, links, channels, groups] = await Promise.all([
    env.db.select().from(layoutItems),
    env.db.select().from(sidebarLinks),
    env.db
      .select()
      .from(rooms)
      .where(sql`${rooms.groupId} is not null`),
    env.db.select().from(roomGroups),
  ])
  const placed = new Map(items.map(({ itemId, groupId }) => [itemId, groupId]))
  expect([...placed.keys()].sort()).toEqual([...links, ...channels].map(({ id }) => id).sort())
  for (const { id, groupId } of channels) expect(placed.get(id)).toBe(groupId)
  expect(new Set(items.map(({ groupId, position }) => `${groupId} ${position}`)).size).toBe(items.length)
  expect(new Set(groups.map(({ position }) => position)).size).toBe(groups.length)
  const shown = (await admin().layout.listRoomGroups({})).groups
  expect(shown.map(({ id }) => id).sort()).toEqual(groups.map(({ id }) => id).sort())
  expect(shown.flatMap(({ items }) => items.map(({ item }) => item.value?.id)).sort()).toEqual(
    [...placed.keys()].sort(),
  )
  for (const { id, groupId } of channels) {
    const published = env.messaging.factsOf(id).flatMap(({ fact }) => {
      return fact.case === 'created' || fact.case === 'moved' ? fact.value.groupId : []
    })
    expect(published.at(-1)).toBe(groupId)
  }
}

describe('two concurrent administrators', () => {
  test('who order the same items end with one of the orders', async () => {
    const groupId = await newGroup()
    const ids = [await newRoom(groupId), await newRoom(groupId), await newRoom(groupId)]
    const [a, b] = [[...ids].reverse(), [...ids.slice(1), ...ids.slice(0, 1)]]
    const order = (wanted: string[]) => admin().layout.reorderSidebarItemsInGroup({ groupId, items: asRooms(wanted) })
    await Promise.all([order(a), order(b)])
    expect([a, b]).toContainEqual(await idsIn(groupId))
  })

  test('who order a group and add to it keep the addition', async () => {
    const groupId = await newGroup()
    const ids = [await newRoom(groupId), await newRoom(groupId)]
    const wanted = [...ids].reverse()
    const order = codeOf(admin().layout.reorderSidebarItemsInGroup({ groupId, items: asRooms(wanted) }))
    const [code, link, room] = await Promise.all([order, newLink(groupId), newRoom(groupId)])
    const after = (await idsIn(groupId)) ?? []
    expect(after.slice(0, 2)).toEqual(code === undefined ? wanted : ids)
    expect([undefined, Code.FailedPrecondition]).toContain(code)
    expect(after.slice(2).sort()).toEqual([link, room].sort())
  })

  test('who delete a group and fill it do not both succeed', async () => {
    for (const fill of [
      (groupId: string) => admin().rooms.createRoom({ name: `race-${++made}`, groupId }),
      (groupId: string) => admin().layout.createSidebarLink({ groupId, label: 'Link', url: '/' }),
      async (groupId: string) => admin().layout.moveRoomToGroup({ roomId: await newRoom(await newGroup()), groupId }),
    ]) {
      const groupId = await newGroup()
      const codes = await Promise.all([codeOf(fill(groupId)), codeOf(admin().layout.deleteRoomGroup({ groupId }))])
      expect([
        [undefined, Code.FailedPrecondition],
        [Code.NotFound, undefined],
      ]).toContainEqual(codes)
    }
    await assertNothingLostOrDuplicated()
  })

  test('who delete the same link do not both succeed', async () => {
    const linkId = await newLink(await newGroup())
    const remove = () => codeOf(admin().layout.deleteSidebarLink({ linkId }))
    expect(new Set(await Promise.all([remove(), remove()]))).toEqual(new Set([undefined, Code.NotFound]))
  })
})

describe('moving something that is moved concurrently', () => {
  /** Starts a move that waits for the lock, then moves the item with `meanwhile` and releases the lock. */
  async function moveWhile(move: () => Promise<unknown>, meanwhile: (tx: typeof env.db) => Promise<unknown>) {
    let answer: Promise<Code | undefined> | undefined
    await env.db.transaction(async (tx) => {
      const { rows } = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid from layout for update`)
      answer = codeOf(move())
      await eventually(async () => {
        const waiting = sql`select from pg_stat_activity where ${rows[0]?.pid}::integer = any (pg_blocking_pids(pid))`
        return (await env.db.execute(waiting)).rowCount === 1
      })
      await meanwhile(tx)
    })
    return await answer
  }

  test('is refused: the groups must be reloaded', async () => {
    const [from, to, other] = [await newGroup(), await newGroup(), await newGroup()]
    const [roomId, linkId] = [await newRoom(from), await newLink(from)]
    const moveElsewhere = (itemId: string) => (tx: typeof env.db) =>
      tx.update(layoutItems).set({ groupId: other }).where(eq(layoutItems.itemId, itemId))
    const moveLink = () => admin().layout.moveSidebarLinkToGroup({ linkId, groupId: to })
    expect(await moveWhile(moveLink, moveElsewhere(linkId))).toBe(Code.FailedPrecondition)
    const moveRoom = () => admin().layout.moveRoomToGroup({ roomId, groupId: to })
    const moveRoomElsewhere = async (tx: typeof env.db) => {
      await moveElsewhere(roomId)(tx)
      await tx.update(rooms).set({ groupId: other }).where(eq(rooms.id, roomId))
    }
    expect(await moveWhile(moveRoom, moveRoomElsewhere)).toBe(Code.FailedPrecondition)
    expect((await idsIn(other))?.sort()).toEqual([roomId, linkId].sort())
    // Lets the log agree with the row again.
    await admin().layout.moveRoomToGroup({ roomId, groupId: from })
  })

  test('succeeds if it is already at its destination', async () => {
    const [from, to] = [await newGroup(), await newGroup()]
    const linkId = await newLink(from)
    const move = () => admin().layout.moveSidebarLinkToGroup({ linkId, groupId: to })
    const moveToDestination = (tx: typeof env.db) =>
      tx.update(layoutItems).set({ groupId: to }).where(eq(layoutItems.itemId, linkId))
    expect(await moveWhile(move, moveToDestination)).toBeUndefined()
    expect(await idsIn(to)).toEqual([linkId])
  })
})

const kinds = ['room', 'link', 'group', 'deleteLink', 'deleteGroup', 'moveRoom', 'moveLink', 'items', 'groups'] as const
type Step = { kind: (typeof kinds)[number]; a: number; b: number }
const steps = fc.array(fc.record({ kind: fc.constantFrom(...kinds), a: fc.nat(99), b: fc.nat(99) }), {
  minLength: 4,
  maxLength: 10,
})

async function applyStep({ kind, a, b }: Step): Promise<unknown> {
  const { layout } = admin()
  const { groups } = await layout.listRoomGroups({})
  const pick = <T>(all: T[], n: number): T | undefined => all[n % Math.max(all.length, 1)]
  const ids = groups.map(({ id }) => id)
  const items = groups.flatMap(({ items }) => items.map(({ item }) => item))
  const idsOf = (wanted: 'room' | 'sidebarLink') => items.flatMap((item) => (item.case === wanted ? item.value.id : []))
  const [groupId = '', roomId = '', linkId = ''] = [pick(ids, b), pick(idsOf('room'), a), pick(idsOf('sidebarLink'), a)]
  switch (kind) {
    case 'room':
      return await admin().rooms.createRoom({ name: `race-${++made}`, groupId })
    case 'link':
      return await layout.createSidebarLink({ groupId, label: 'Link', url: '/' })
    case 'group':
      return await layout.createRoomGroup({ name: 'A group' })
    case 'deleteLink':
      return linkId && (await layout.deleteSidebarLink({ linkId }))
    case 'deleteGroup':
      return await layout.deleteRoomGroup({ groupId })
    case 'moveRoom':
      return await layout.moveRoomToGroup({ roomId, groupId })
    case 'moveLink':
      return linkId && (await layout.moveSidebarLinkToGroup({ linkId, groupId }))
    case 'items': {
      const group = groups.find(({ id }) => id === groupId)
      const current = (group?.items ?? []).map(({ item }) => {
        return { kind: item.case === 'room' ? ROOM : SIDEBAR_LINK, id: item.value?.id ?? '' }
      })
      return await layout.reorderSidebarItemsInGroup({ groupId, items: rotated(current, a) })
    }
    case 'groups':
      return await layout.reorderRoomGroups({ orderedGroupIds: rotated(ids, a) })
  }
}

const rotated = <T>(all: T[], by: number): T[] => {
  const first = by % Math.max(all.length, 1)
  return [...all.slice(first), ...all.slice(0, first)]
}

test('after concurrent changes by two processes, no item is lost or duplicated', async () => {
  const crowd = fc.array(steps, { minLength: 3, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(crowd, async (administrators) => {
      const codes = await Promise.all(
        administrators.map(async (own) => {
          const answers: (Code | undefined)[] = []
          for (const step of own) answers.push(await codeOf(applyStep(step)))
          return answers
        }),
      )
      expect([undefined, Code.FailedPrecondition, Code.NotFound]).toEqual(expect.arrayContaining(codes.flat()))
      await assertNothingLostOrDuplicated()
    }),
    { numRuns: 8 },
  )
})
