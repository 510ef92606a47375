import { Code, createClient } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { NotificationService, RoomKind } from '@parley/contracts/api'
import { newId } from '@parley/ids'
import type { Service } from '@parley/runtime'
import { eventually, requestErasure, testBus } from '@parley/testkit'
import { useFleet } from './_fleet.ts'
import { receivedBy, RoomPublisher } from './_room-publisher.ts'

const fleet = useFleet()
let service: Service
beforeAll(async () => {
  service = await fleet.start()
})

/** Uses a separate room; returns the ids of the messages, newest first. */
async function mention(userId: string, times: number, roomId = `R${userId}`): Promise<string[]> {
  fleet.fakes.room(roomId, ['Uann', userId])
  const publisher = new RoomPublisher(fleet.bus, roomId)
  const messages: string[] = []
  for (let n = 0; n < times; n++) messages.unshift(await publisher.post('Uann', { mentions: { userIds: [userId] } }))
  const { notifications } = fleet.as(userId)
  await eventually(async () =>
    expect((await notifications.listRoomNotifications({ roomId })).page?.totalCount).toBe(BigInt(times)),
  )
  return messages
}

test('unauthenticated calls are refused', async () => {
  await using here = await testBus(fleet.natsUrl)
  const anonymous = createClient(NotificationService, here.rpc.transport())
  await expect(anonymous.listNotifications({})).rejects.toMatchObject({ code: Code.Unauthenticated })
})

test('lists are sorted newest first and paged by cursor or offset; an invalid cursor is refused', async () => {
  const messages = await mention('Upages', 7)
  const { notifications } = fleet.as('Upages')
  const eventsOf = ({ notifications: items }: Awaited<ReturnType<typeof notifications.listNotifications>>) =>
    items.map(({ kind }) => kind.value?.eventId)
  const first = await notifications.listNotifications({ page: { limit: 3 } })
  expect(eventsOf(first)).toEqual(messages.slice(0, 3))
  expect(first.page).toMatchObject({ totalCount: 7n, hasMore: true })
  const second = await notifications.listNotifications({ page: { limit: 3, cursor: first.page?.nextCursor ?? '' } })
  expect(eventsOf(second)).toEqual(messages.slice(3, 6))
  const third = await notifications.listNotifications({ page: { limit: 3, cursor: second.page?.nextCursor ?? '' } })
  expect(eventsOf(third)).toEqual(messages.slice(6))
  expect(third.page).toMatchObject({ totalCount: 7n, hasMore: false, nextCursor: '' })
  expect(eventsOf(await notifications.listNotifications({ page: { limit: 3, offset: 5 } }))).toEqual(messages.slice(5))
  const beyond = await notifications.listNotifications({ page: { offset: 50 } })
  expect(beyond).toMatchObject({ notifications: [], page: { totalCount: 7n, hasMore: false } })
  const beyondTheCalendar = JSON.stringify(['999999999999999', 'N'])
  for (const cursor of [
    'nonsense',
    ...['["x"]', beyondTheCalendar].map((key) => Buffer.from(key).toString('base64url')),
  ])
    await expect(notifications.listNotifications({ page: { cursor } })).rejects.toMatchObject({
      code: Code.InvalidArgument,
    })
})

test('only the recipient can get or dismiss a notification, and can get it only while it is pending', async () => {
  await mention('Uowner', 3)
  const { notifications } = fleet.as('Uowner')
  const [a, b, c] = (await notifications.listNotifications({})).notifications.map(({ id }) => id)
  if (!a || !b || !c) throw new Error('three are pending')
  expect(await notifications.getNotification({ notificationId: a })).toMatchObject({
    notification: {
      id: a,
      actor: { id: 'Uann' },
      kind: { value: { room: { id: 'RUowner', kind: RoomKind.CHANNEL } } },
    },
  })
  const idsOf = async (...notificationIds: string[]) =>
    (await notifications.batchGetNotifications({ notificationIds })).notifications.map(({ id }) => id)
  expect(await idsOf(c, a, c, 'Nnone')).toEqual([c, a])
  await expect(notifications.batchGetNotifications({ notificationIds: [] })).rejects.toMatchObject({
    code: Code.InvalidArgument,
  })
  const other = fleet.as('Uother').notifications
  await expect(other.getNotification({ notificationId: a })).rejects.toMatchObject({ code: Code.NotFound })
  expect(await other.dismissNotification({ notificationId: a })).toMatchObject({ dismissed: true })

  expect(await notifications.dismissNotification({ notificationId: a })).toMatchObject({ dismissed: true })
  expect(await notifications.dismissNotification({ notificationId: a })).toMatchObject({ dismissed: true })
  expect(await notifications.dismissNotification({ notificationId: 'Nnone' })).toMatchObject({ dismissed: true })
  await expect(notifications.getNotification({ notificationId: a })).rejects.toMatchObject({ code: Code.NotFound })
  expect(await idsOf(a, b)).toEqual([b])
  await eventually(() =>
    expect(receivedBy(fleet.published, 'Uowner')).toContainEqual(
      expect.objectContaining({
        case: 'notificationDismissed',
        value: expect.objectContaining({ notificationId: a }) as unknown,
      }),
    ),
  )
})

test('pending notifications are counted by room, and hasNotifications tells whether there are any', async () => {
  const { notifications } = fleet.as('Ucounts')
  expect(await notifications.hasNotifications({})).toMatchObject({ hasNotifications: false })
  await mention('Ucounts', 2, 'Rtwo')
  await mention('Ucounts', 1, 'Rone')
  expect(await notifications.hasNotifications({})).toMatchObject({ hasNotifications: true })
  const counts = async () =>
    new Map(
      (await notifications.listRoomNotificationCounts({})).roomCounts.map(({ roomId, totalCount }) => [
        roomId,
        totalCount,
      ]),
    )
  expect(await counts()).toEqual(
    new Map([
      ['Rtwo', 2],
      ['Rone', 1],
    ]),
  )
  const [item] = (await notifications.listRoomNotifications({ roomId: 'Rone' })).notifications
  await notifications.dismissNotification({ notificationId: item?.id ?? '' })
  expect(await counts()).toEqual(new Map([['Rtwo', 2]]))
  expect(await notifications.dismissAllNotifications({})).toMatchObject({ dismissedCount: 2 })
  expect(await notifications.dismissAllNotifications({})).toMatchObject({ dismissedCount: 0 })
  expect(await counts()).toEqual(new Map())
  expect(await notifications.hasNotifications({})).toMatchObject({ hasNotifications: false })
})

test('a user who is no longer a member of a room sees no notifications in it', async () => {
  await mention('Uleft', 1)
  fleet.fakes.rooms.get('RUleft')?.members.delete('Uleft')
  expect(await fleet.as('Uleft').notifications.listRoomNotifications({ roomId: 'RUleft' })).toMatchObject({
    notifications: [],
    page: { totalCount: 0n, hasMore: false },
  })
})

test('notifications in rooms that the caller may no longer read are not shown or counted, and are dismissed', async () => {
  await mention('Uclosed', 2, 'Rshut')
  await mention('Uclosed', 1, 'Ropen')
  const { notifications } = fleet.as('Uclosed')
  const items = (await notifications.listRoomNotifications({ roomId: 'Rshut' })).notifications
  const notificationIds = items.map(({ id }) => id)
  fleet.fakes.rooms.get('Rshut')?.members.delete('Uclosed')
  for (const notificationId of notificationIds)
    await expect(notifications.getNotification({ notificationId })).rejects.toMatchObject({ code: Code.NotFound })
  expect(await notifications.batchGetNotifications({ notificationIds })).toMatchObject({ notifications: [] })
  expect(await notifications.listNotifications({})).toMatchObject({
    notifications: [{ kind: { value: { room: { id: 'Ropen' } } } }],
    page: { totalCount: 1n },
  })
  expect((await notifications.listRoomNotificationCounts({})).roomCounts).toMatchObject([{ roomId: 'Ropen' }])
  const dismissed = () =>
    receivedBy(fleet.published, 'Uclosed').flatMap((event) =>
      event.case === 'notificationDismissed' ? [event.value.notificationId] : [],
    )
  await eventually(() => expect(dismissed().sort()).toEqual(notificationIds.sort()))

  fleet.fakes.rooms.get('Ropen')?.members.delete('Uclosed')
  expect(await notifications.hasNotifications({})).toMatchObject({ hasNotifications: false })
})

test('a deleted person is shown as deleted, and lists omit names while profiles are unavailable', async () => {
  await mention('Unames', 1)
  fleet.fakes.deleted.add('Uann')
  const { notifications } = fleet.as('Unames')
  expect((await notifications.listNotifications({})).notifications).toMatchObject([
    { actor: { id: 'Uann', deleted: true } },
  ])
  fleet.fakes.unavailableMethods.add('getProfiles')
  expect((await notifications.listNotifications({})).notifications).toMatchObject([
    { actor: { id: 'Uann', displayName: '' }, kind: { value: { room: { id: 'RUnames', name: 'RUnames' } } } },
  ])
  fleet.fakes.unavailableMethods.clear()
  fleet.fakes.allUnavailable = true
  await expect(notifications.listNotifications({})).rejects.toMatchObject({ code: Code.Unavailable })
  fleet.fakes.allUnavailable = false
})

test('notifications caused by a deleted person are dismissed, and the recipient gets events about that', async () => {
  const roomId = newId('room')
  fleet.fakes.room(roomId, ['Uleaver', 'Uann', 'Ubereft'])
  const publisher = new RoomPublisher(fleet.bus, roomId)
  const messages: string[] = []
  for (const author of ['Uleaver', 'Uann', 'Uleaver'])
    messages.push(await publisher.post(author, { mentions: { userIds: ['Ubereft'] } }))
  const { notifications } = fleet.as('Ubereft')
  const pending = async () =>
    (await notifications.listNotifications({})).notifications.map(({ kind }) => kind.value?.eventId)
  await eventually(async () => expect(await pending()).toHaveLength(3))
  await requestErasure(fleet.bus, 'Uleaver', 1)
  // Two notifications, a read marker, and two events that contain the name of the deleted person.
  await eventually(() => expect(fleet.erasures.found('Uleaver', 1)).toBe(5n))
  expect(await pending()).toEqual([messages[1]])
  const received = () =>
    receivedBy(fleet.published, 'Ubereft').filter((event) => event.case === 'notificationDismissed')
  await eventually(() => expect(received()).toHaveLength(2))
  // Events that were not relayed during a pass are found by the next one.
  for (let pass = 2, found: bigint | undefined = 1n; found !== 0n; pass++) {
    await requestErasure(fleet.bus, 'Uleaver', pass)
    await eventually(() => expect(fleet.erasures.found('Uleaver', pass)).toBeDefined())
    found = fleet.erasures.found('Uleaver', pass)
  }
})

test('all notifications to a deleted person are deleted, and none are created later', async () => {
  await mention('Ugone', 3)
  await mention('Ustays', 1)
  await requestErasure(fleet.bus, 'Ugone', 1)
  await eventually(() => expect(fleet.erasures.found('Ugone', 1)).toBe(3n))
  const publisher = new RoomPublisher(fleet.bus, 'RUgone')
  fleet.fakes.room('RUgone', ['Uann', 'Ugone', 'Uwitness'])
  await publisher.post('Uann', { mentions: { userIds: ['Ugone', 'Uwitness'] } })
  await publisher.read('Ugone')
  const witness = fleet.as('Uwitness').notifications
  await eventually(async () => expect(await witness.hasNotifications({})).toMatchObject({ hasNotifications: true }))
  await requestErasure(fleet.bus, 'Ugone', 2)
  await eventually(() => expect(fleet.erasures.found('Ugone', 2)).toBe(0n))
  expect(await fleet.as('Ustays').notifications.hasNotifications({})).toMatchObject({ hasNotifications: true })
})

test('/readyz reports that the process is ready', async () => {
  expect((await fetch(`http://127.0.0.1:${service.internalPort}/readyz`)).status).toBe(200)
})
