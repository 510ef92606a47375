import { beforeAll, describe, expect, test } from '@jest/globals'
import { PermissionDecision } from '@parley/contracts/admin'
import { eventually } from '@parley/testkit'
import { receivedBy, useEnv, waitUntilReady, settle, type Node } from './_env.ts'
import {
  accountDeleted,
  groupsUpdated,
  everyoneDecision,
  posted,
  postedTo,
  profileUpdated,
  publish,
  rolesChanged,
  roomFact,
  type EventInit,
} from './_events.ts'
import type { Socket } from '@parley/testkit/realtime-socket'

const env = useEnv()
let node: Node
let anna: Socket
let bert: Socket
let rooms = 0
let layoutVersion = 0

beforeAll(async () => {
  node = await env.start()
  await waitUntilReady(node)
  anna = await env.socketOf(node, 'Uanna')
  bert = await env.socketOf(node, 'Ubert')
})

const joined = (userId: string) => ({ case: 'joined', value: { userId } }) as const
const left = (userId: string) => ({ case: 'left', value: { userId } }) as const
const universal = (on: boolean) => ({ case: 'universal', value: { universal: on } }) as const

async function publishAndCollect(...events: EventInit[]): Promise<{ anna: string[]; bert: string[] }> {
  const kindById = new Map(events.map(({ id, kind }) => [id, kind]))
  for (const event of events) await publish(env.bus, event)
  await settle(env, { Uanna: [anna], Ubert: [bert] })
  const kinds = (socket: Socket) => receivedBy(socket).flatMap((id) => kindById.get(id) ?? [])
  return { anna: kinds(anna), bert: kinds(bert) }
}

const newRoom = () => `Rroom${++rooms}`

describe('membership', () => {
  test('joiners receive everything from their join, leavers nothing after their leave', async () => {
    const room = newRoom()
    const received = await publishAndCollect(
      posted(room, 1),
      roomFact(room, [2, 1], joined('Uanna')),
      posted(room, 3),
      roomFact(room, [4, 2], joined('Ubert')),
      posted(room, 5),
      roomFact(room, [6, 3], left('Uanna')),
      posted(room, 7),
    )
    expect(received.anna).toEqual([
      'user_joined_room',
      'message_posted',
      'user_joined_room',
      'message_posted',
      'user_left_room',
    ])
    expect(received.bert).toEqual(['user_joined_room', 'message_posted', 'user_left_room', 'message_posted'])
  })

  test('an old join that arrives late does not restore a membership', async () => {
    const room = newRoom()
    const received = await publishAndCollect(
      roomFact(room, [1, 1], joined('Uanna')),
      roomFact(room, [2, 4], left('Uanna')),
      roomFact(room, [3, 3], joined('Uanna')),
      posted(room, 4),
    )
    expect(received.anna).toEqual(['user_joined_room', 'user_left_room', 'user_joined_room'])
    expect(received.bert).toEqual([])
  })

  test('a ban ends membership at once, and lifting it does not restore membership', async () => {
    const room = newRoom()
    const received = await publishAndCollect(
      roomFact(room, [1, 1], joined('Uanna')),
      roomFact(room, [2, 2], joined('Ubert')),
      roomFact(room, [3, 3], { case: 'banned', value: { userId: 'Uanna' } }),
      posted(room, 4),
      roomFact(room, [5, 4], { case: 'unbanned', value: { userId: 'Uanna' } }),
      posted(room, 6),
      roomFact(room, [7, 5], joined('Uanna')),
      posted(room, 8),
    )
    expect(received.anna).toEqual([
      'user_joined_room',
      'user_joined_room',
      'user_left_room',
      'user_joined_room',
      'message_posted',
    ])
    expect(received.bert).toHaveLength(6)
  })

  test('events of a direct message go to its participants, once each', async () => {
    const room = newRoom()
    const received = await publishAndCollect(
      roomFact(room, [1, 1], joined('Uanna'), { dm: true }),
      posted(room, 2),
      postedTo(['Uanna', 'Uelsewhere'], room, 3),
    )
    expect(received.anna).toEqual(['user_joined_room', 'message_posted'])
    expect(received.bert).toEqual([])
  })
})

describe('changes of a profile', () => {
  const changes = (userId: string) => Array.from({ length: 200 }, (_, n) => profileUpdated(userId, n + 1))

  test('are merged, and the first and the last are sent', async () => {
    const [ofCarl, ofDana] = [changes('Ucarl'), profileUpdated('Udana', 1)]
    const received = await publishAndCollect(...ofCarl, ofDana)
    expect(received.anna.length).toBeLessThan(20)
    expect(receivedBy(anna)).toEqual(expect.arrayContaining([ofCarl[0]?.id, ofDana.id]))
    await eventually(() => expect(receivedBy(anna)).toContain(ofCarl.at(-1)?.id))
    expect(receivedBy(anna).filter((id) => ofCarl.some((change) => change.id === id)).length).toBeLessThan(20)
  })

  test('are not sent after the account is deleted', async () => {
    const [first, second, gone] = [profileUpdated('Uemil', 1), profileUpdated('Uemil', 2), accountDeleted('Uemil', 3)]
    const later = changes('Ufred').slice(0, 2)
    await publishAndCollect(first, second, gone, ...later)
    await eventually(() => expect(receivedBy(anna)).toContain(later[1]?.id))
    expect(receivedBy(anna).indexOf(second.id)).toBeLessThan(receivedBy(anna).indexOf(gone.id))
  })
})

describe('events of universal rooms', () => {
  test('reach everyone while the room is universal', async () => {
    const room = newRoom()
    const received = await publishAndCollect(
      roomFact(room, [1, 1], { case: 'created', value: { universal: true } }, { universal: true }),
      posted(room, 2),
      roomFact(room, [3, 2], joined('Uanna'), { universal: true }),
      roomFact(room, [4, 3], universal(false)),
      posted(room, 5),
      roomFact(room, [6, 4], universal(true), { universal: true }),
      posted(room, 7),
    )
    const open = ['room_created', 'message_posted', 'user_joined_room', 'room_universal_changed']
    const again = ['room_universal_changed', 'message_posted']
    expect(received.anna).toEqual([...open, 'message_posted', ...again])
    expect(received.bert).toEqual([...open, ...again])
  })

  test('do not reach people after a ban or a denial of room.join', async () => {
    const room = newRoom()
    const received = await publishAndCollect(
      roomFact(room, [1, 1], { case: 'created', value: { universal: true } }, { universal: true }),
      roomFact(room, [2, 2], { case: 'banned', value: { userId: 'Uanna' } }, { universal: true }),
      posted(room, 3),
      everyoneDecision(2, 'room.join', room, PermissionDecision.DENY),
      posted(room, 4),
      roomFact(room, [5, 3], { case: 'banExpired', value: { userId: 'Uanna' } }, { universal: true }),
      posted(room, 6),
      everyoneDecision(3, 'room.join', room, PermissionDecision.NONE),
      posted(room, 7),
    )
    expect(received.anna).toEqual(['room_created', 'user_left_room', 'message_posted'])
    expect(received.bert).toEqual(['room_created', 'user_left_room', 'message_posted', 'message_posted'])
  })

  test('reach a new owner even without room.join', async () => {
    const room = newRoom()
    const received = await publishAndCollect(
      everyoneDecision(4, 'room.join', room, PermissionDecision.DENY),
      roomFact(room, [1, 1], { case: 'created', value: { universal: true } }, { universal: true }),
      rolesChanged('Uanna', 5, ['owner']),
      posted(room, 2),
      rolesChanged('Uanna', 6, []),
      posted(room, 3),
    )
    expect(received).toEqual({ anna: ['message_posted'], bert: [] })
  })

  test('reach a node that started after the rooms were created', async () => {
    const room = newRoom()
    env.universalRooms.push({ roomId: room, version: 3 }, { roomId: 'Rclosed', version: 2, universal: false })
    const second = await env.start()
    await waitUntilReady(second)
    const carl = await env.socketOf(second, 'Ucarl')
    const message = posted(room, 9)
    await publish(env.bus, message)
    await publish(env.bus, posted('Rclosed', 9))
    await settle(env, { Ucarl: [carl] })
    expect(receivedBy(carl)).toEqual([message.id])
    await second[Symbol.asyncDispose]()
    env.universalRooms.length = 0
  })
})

describe('events', () => {
  test('for everyone reach everyone, events for a person only that person', async () => {
    const second = await env.socketOf(node, 'Uanna')
    const toAll = groupsUpdated(++layoutVersion)
    const toAnna = postedTo(['Uanna'], 'Rdm', 1)
    await publish(env.bus, toAll)
    await publish(env.bus, toAnna)
    await settle(env, { Uanna: [anna, second], Ubert: [bert] })
    expect(receivedBy(second)).toEqual([toAll.id, toAnna.id])
    expect(receivedBy(anna).slice(-2)).toEqual([toAll.id, toAnna.id])
    expect(receivedBy(bert).at(-1)).toBe(toAll.id)
    second.close()
  })

  test('arrive once, in stream order, even if the stream has duplicates', async () => {
    const room = newRoom()
    const joining = roomFact(room, [1, 1], joined('Uanna'))
    const messages = Array.from({ length: 300 }, (_, n) => posted(room, n + 2))
    await publish(env.bus, joining)
    for (let n = 0; n < messages.length; n += 7) {
      await publish(env.bus, ...messages.slice(n, n + 7))
      // A relay resends a message if it does not know whether it was stored.
      if (n % 3 === 0) await publish(env.bus, ...messages.slice(n, n + 7))
    }
    await publish(env.bus, joining)
    await settle(env, { Uanna: [anna] })
    const ids = new Set(messages.map(({ id }) => id))
    expect(receivedBy(anna).filter((id) => ids.has(id))).toEqual(messages.map(({ id }) => id))
    expect(receivedBy(anna).filter((id) => id === joining.id)).toHaveLength(1)
  })

  test('other than profile changes have distinct positions', async () => {
    const received = anna.events.filter(({ event }) => event.case !== 'userProfileUpdated')
    const positions = received.map(({ position }) => position)
    expect(positions.every((position) => position !== '')).toBe(true)
    expect(new Set(positions).size).toBe(positions.length)
  })

  test('continue for a person when one of several sockets closes', async () => {
    const room = newRoom()
    const second = await env.socketOf(node, 'Uanna')
    await publish(env.bus, roomFact(room, [1, 1], joined('Uanna')))
    second.close()
    const message = posted(room, 2)
    await publish(env.bus, message)
    await anna.waitForEvent(message.id)
    const third = await env.socketOf(node, 'Uanna')
    const later = posted(room, 3)
    await publish(env.bus, later)
    await Promise.all([anna.waitForEvent(later.id), third.waitForEvent(later.id)])
    expect(receivedBy(third)).toEqual([later.id])
    third.close()
  })

  test('in a burst of 400 KB reach a socket that reads', async () => {
    const room = newRoom()
    await publish(env.bus, roomFact(room, [1, 1], joined('Uanna')))
    await settle(env, { Uanna: [anna] })
    const messages = Array.from({ length: 40 }, (_, n) => posted(room, n + 2, 10_000))
    for (const message of messages) await publish(env.bus, message)
    for (const message of messages) await anna.waitForEvent(message.id)
  })
})
