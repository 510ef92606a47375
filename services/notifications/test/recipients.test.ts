import { beforeAll, expect, test } from '@jest/globals'
import { NotificationLevel, PresenceStatus } from '@parley/contracts/api'
import { newId } from '@parley/ids'
import { eventually, requestErasure } from '@parley/testkit'
import { eq } from 'drizzle-orm'
import { outbox } from '../src/store/schema.ts'
import { useFleet } from './_fleet.ts'
import { receivedBy, publish, RoomPublisher } from './_room-publisher.ts'

const { MUTED, NORMAL, ALL_MESSAGES } = NotificationLevel

const fleet = useFleet()
beforeAll(() => fleet.start())

function people<const N extends string>(...names: N[]): Record<N, string> {
  return Object.fromEntries(names.map((name) => [name, `${newId('user')}${name}`])) as Record<N, string>
}

function roomOf(members: string[], more: { dm?: boolean; roles?: Record<string, string[]> } = {}) {
  const roomId = newId('room')
  fleet.fakes.room(roomId, members, more)
  return { roomId, publisher: new RoomPublisher(fleet.bus, roomId) }
}

const pendingOf = async (userId: string) =>
  (await fleet.as(userId).notifications.listNotifications({})).notifications.map(({ kind }) => ({
    kind: kind.case,
    eventId: kind.value?.eventId,
  }))

/** Posts a last mention and waits for its notification: all earlier events of the room are then handled. */
async function untilSettled(publisher: RoomPublisher, roomId: string) {
  const last = `${newId('user')}last`
  fleet.fakes.rooms.get(roomId)?.members.add(last)
  const eventId = await publisher.post('Unobody', { mentions: { userIds: [last] } })
  await eventually(async () => expect(await pendingOf(last)).toContainEqual({ kind: 'mention', eventId }))
}

test('a message notifies a person once, for the first of these reasons: mention, reply, followed thread', async () => {
  const { ann, bob, cat, dan, eve } = people('ann', 'bob', 'cat', 'dan', 'eve')
  const { roomId, publisher } = roomOf([ann, bob, cat, dan, eve])
  const eventId = await publisher.post(ann, {
    threadRootEventId: 'Eroot',
    inReplyTo: 'Easked',
    mentions: { userIds: [bob, ann] },
    inReplyToAuthorId: cat,
    threadFollowerIds: [ann, bob, cat, dan],
  })
  await untilSettled(publisher, roomId)
  expect(await pendingOf(ann)).toEqual([])
  expect(await pendingOf(bob)).toEqual([{ kind: 'mention', eventId }])
  expect(await pendingOf(cat)).toEqual([{ kind: 'reply', eventId }])
  expect(await pendingOf(dan)).toEqual([{ kind: 'reply', eventId }])
  expect(await pendingOf(eve)).toEqual([])

  const dm = roomOf([ann, bob], { dm: true })
  const direct = await dm.publisher.post(ann, { dmParticipantIds: [ann, bob] })
  await eventually(async () => expect(await pendingOf(bob)).toContainEqual({ kind: 'directMessage', eventId: direct }))
  expect(await pendingOf(ann)).toEqual([])
})

test('clients receive the notification, and the name of its sender', async () => {
  const { ann, bob, cat } = people('ann', 'bob', 'cat')
  const { roomId, publisher } = roomOf([ann, bob])
  const eventId = await publisher.post(ann, {
    mentions: { userIds: [bob] },
    inReplyTo: 'Easked',
    inReplyToAuthorId: ann,
  })
  await eventually(() => expect(receivedBy(fleet.published, bob)).toHaveLength(2))
  const [item] = (await fleet.as(bob).notifications.listNotifications({})).notifications
  const created = { notificationId: item?.id, roomId, eventId, silent: false }
  const received = (kind: string) =>
    receivedBy(fleet.published, bob).flatMap((event) => (event.case === kind ? event.value : []))
  expect(received('notificationCreated')).toMatchObject([created])
  expect(received('mentionNotification')).toMatchObject([
    { roomId, actorUserId: ann, actorDisplayName: ann, roomName: roomId },
  ])
  expect(item).toMatchObject({
    actor: { id: ann, displayName: ann },
    kind: { case: 'mention', value: { room: { id: roomId, name: roomId }, eventId } },
  })
  const sender = { senderId: ann, senderDisplayName: ann, senderAvatarUrl: `https://chat.example.org/assets/${ann}` }
  for (const [n, { members, conversationName }] of [
    { members: [ann, bob], conversationName: ann },
    { members: [ann, bob, cat], conversationName: `${ann} +1` },
  ].entries()) {
    const dm = roomOf(members, { dm: true })
    await dm.publisher.post(ann, { dmParticipantIds: members })
    await eventually(() => expect(receivedBy(fleet.published, bob)).toHaveLength(4 + 2 * n))
    expect(received('notificationCreated').at(-1)).toMatchObject({ roomId: dm.roomId })
    expect(received('newDirectMessageNotification').at(-1)).toMatchObject({
      roomId: dm.roomId,
      ...sender,
      conversationName,
    })
  }
})

test('a notification is announced even if its sender cannot be named', async () => {
  const { ann, bob } = people('ann', 'bob')
  const { roomId, publisher } = roomOf([ann, bob])
  fleet.fakes.deleted.add(ann)
  await publisher.post(ann, { mentions: { userIds: [bob] } })
  await eventually(() => expect(receivedBy(fleet.published, bob)).toHaveLength(2))
  fleet.fakes.unavailableMethods.add('getProfiles')
  await publisher.post(ann, { mentions: { userIds: [bob] } })
  await eventually(() => expect(receivedBy(fleet.published, bob)).toHaveLength(4))
  fleet.fakes.unavailableMethods.clear()
  const mentions = receivedBy(fleet.published, bob).flatMap((event) =>
    event.case === 'mentionNotification' ? event.value : [],
  )
  expect(mentions.map(({ roomId: at, actorDisplayName }) => [at, actorDisplayName])).toEqual(
    Array.from({ length: 2 }, () => [roomId, undefined]),
  )
})

test('outbox entries that contain the name of a deleted person are deleted', async () => {
  const { ann, bob } = people('ann', 'bob')
  const { publisher } = roomOf([ann, bob])
  await publisher.post(ann, { mentions: { userIds: [bob] } })
  await eventually(() => expect(receivedBy(fleet.published, bob)).toHaveLength(2))
  const entries = () => fleet.db.$count(outbox, eq(outbox.aggregate, `notification.${ann}`))
  expect(await entries()).toBe(1)
  let pass = 0
  await eventually(async () => {
    await requestErasure(fleet.bus, ann, ++pass)
    expect(await entries()).toBe(0)
  })
})

test('people who are not members of the room are not notified', async () => {
  const { ann, bob, out } = people('ann', 'bob', 'out')
  const { roomId, publisher } = roomOf([ann, bob])
  await publisher.post(ann, { mentions: { userIds: [bob, out] }, inReplyToAuthorId: out, threadFollowerIds: [out] })
  await fleet.as(ann).preferences.updateServerNotificationPreference({ level: ALL_MESSAGES })
  await fleet.as(out).preferences.updateServerNotificationPreference({ level: ALL_MESSAGES })
  await publisher.post(bob)
  await untilSettled(publisher, roomId)
  expect(await pendingOf(out)).toEqual([])
  expect(await pendingOf(ann)).toHaveLength(2)
})

test('the level of a room overrides that of the server, MUTED forbids all notifications, and ALL_MESSAGES adds the main timeline', async () => {
  const { ann, all, everywhere, quiet, room } = people('ann', 'all', 'everywhere', 'quiet', 'room')
  const { roomId, publisher } = roomOf([ann, all, everywhere, quiet, room])
  const level = (userId: string) => fleet.as(userId).preferences
  await level(all).updateRoomNotificationPreference({ roomId, level: ALL_MESSAGES })
  await level(everywhere).updateServerNotificationPreference({ level: ALL_MESSAGES })
  await level(quiet).updateServerNotificationPreference({ level: MUTED })
  await level(room).updateServerNotificationPreference({ level: ALL_MESSAGES })
  await level(room).updateRoomNotificationPreference({ roomId, level: NORMAL })
  const plain = await publisher.post(ann)
  await publisher.post(ann, { threadRootEventId: plain })
  const mention = await publisher.post(ann, { mentions: { userIds: [all, everywhere, quiet, room] } })
  await untilSettled(publisher, roomId)
  const receivedAll = [
    { kind: 'mention', eventId: mention },
    { kind: 'roomMessage', eventId: plain },
  ]
  expect((await pendingOf(all)).slice(1)).toEqual(receivedAll)
  expect((await pendingOf(everywhere)).slice(1)).toEqual(receivedAll)
  expect(await pendingOf(quiet)).toEqual([])
  expect(await pendingOf(room)).toEqual([{ kind: 'mention', eventId: mention }])
})

test('an echo notifies people with the level ALL_MESSAGES, unless its reply has notified them', async () => {
  const { ann, both, all } = people('ann', 'both', 'all')
  const { roomId, publisher } = roomOf([ann, both, all])
  for (const userId of [both, all])
    await fleet.as(userId).preferences.updateRoomNotificationPreference({ roomId, level: ALL_MESSAGES })
  const reply = await publisher.post(ann, { threadRootEventId: 'Eroot', threadFollowerIds: [ann, both] })
  const echo = await publisher.post(ann, { echoOfEventId: reply })
  await untilSettled(publisher, roomId)
  expect((await pendingOf(both)).slice(1)).toEqual([{ kind: 'reply', eventId: reply }])
  expect((await pendingOf(all)).slice(1)).toEqual([{ kind: 'roomMessage', eventId: echo }])
})

test('people mentioned through a role, @all or @here are notified', async () => {
  const { ann, cook, here, offline, quiet } = people('ann', 'cook', 'here', 'offline', 'quiet')
  const { roomId, publisher } = roomOf([ann, cook, here, offline, quiet], { roles: { Ocooks: [cook, 'Uelsewhere'] } })
  fleet.fakes.presences.set(here, PresenceStatus.AWAY)
  fleet.fakes.presences.set(quiet, PresenceStatus.DO_NOT_DISTURB)
  const cooks = await publisher.post(ann, { mentions: { roleIds: ['Ocooks'] } })
  const present = await publisher.post(ann, { mentions: { here: true }, inReplyToAuthorId: offline })
  const everyone = await publisher.post(ann, { mentions: { all: true, here: true }, inReplyToAuthorId: offline })
  await untilSettled(publisher, roomId)
  const mentions = (...eventIds: string[]) => eventIds.map((eventId) => ({ kind: 'mention', eventId }))
  expect(await pendingOf(cook)).toEqual(mentions(everyone, cooks))
  expect(await pendingOf(here)).toEqual(mentions(everyone, present))
  expect(await pendingOf(quiet)).toEqual(mentions(everyone, present))
  expect(await pendingOf(offline)).toEqual([...mentions(everyone), { kind: 'reply', eventId: present }])
  expect(await pendingOf(ann)).toEqual([])
})

test('people in do-not-disturb are notified silently', async () => {
  const { ann, quiet } = people('ann', 'quiet')
  fleet.fakes.presences.set(quiet, PresenceStatus.DO_NOT_DISTURB)
  const { roomId, publisher } = roomOf([ann, quiet], { dm: true })
  await publisher.post(ann, { dmParticipantIds: [ann, quiet] })
  await publisher.post(ann, { dmParticipantIds: [ann, quiet], mentions: { userIds: [quiet] } })
  await untilSettled(publisher, roomId)
  expect(await pendingOf(quiet)).toHaveLength(2)
  await eventually(() => expect(receivedBy(fleet.published, quiet)).toHaveLength(2))
  expect(receivedBy(fleet.published, quiet)).toMatchObject([
    { case: 'notificationCreated', value: { silent: true } },
    { case: 'notificationCreated', value: { silent: true } },
  ])
})

test('mentions resolved after the post notify people, but nobody twice', async () => {
  const { ann, bob, cat } = people('ann', 'bob', 'cat')
  const { roomId, publisher } = roomOf([ann, bob, cat])
  const fact = { inReplyTo: 'Easked', inReplyToAuthorId: bob, mentionsPending: true }
  const eventId = await publisher.post(ann, fact)
  const seq = publisher.seq
  await publisher.post(bob, { threadRootEventId: 'Eroot' })
  await publisher.resolve(eventId, ann, seq, { ...fact, mentions: { userIds: [bob, cat, ann] } })
  await untilSettled(publisher, roomId)
  expect(await pendingOf(bob)).toEqual([{ kind: 'reply', eventId }])
  expect(await pendingOf(cat)).toEqual([{ kind: 'mention', eventId }])
  expect(await pendingOf(ann)).toEqual([])
})

test('read markers, one per room and thread, prevent and dismiss notifications of messages before them', async () => {
  const { ann, bob } = people('ann', 'bob')
  const { roomId, publisher } = roomOf([ann, bob])
  // A minute ahead, so that the marker is newer than the messages, which are posted later.
  const occurredAt = new Date(Date.now() + 60_000)
  await publisher.read(bob, 2n, { occurredAt })
  await publisher.read(bob, 2n, { threadRootEventId: 'Eread', occurredAt })
  await eventually(async () =>
    expect((await fleet.db.execute(`select from read_markers where user_id = '${bob}'`)).rowCount).toBe(2),
  )
  const mention = { mentions: { userIds: [bob] } }
  await publisher.post(ann, mention)
  await publisher.post(ann, { ...mention, threadRootEventId: 'Eread' })
  const third = await publisher.post(ann, mention)
  const inThread = await publisher.post(ann, { ...mention, threadRootEventId: 'Eother' })
  await untilSettled(publisher, roomId)
  expect((await pendingOf(bob)).map(({ eventId }) => eventId)).toEqual([inThread, third])
  await publisher.read(bob)
  await eventually(async () => expect((await pendingOf(bob)).map(({ eventId }) => eventId)).toEqual([inThread]))
  await publisher.read(bob, publisher.seq, { threadRootEventId: 'Eother' })
  await eventually(async () => expect(await pendingOf(bob)).toEqual([]))
  await eventually(() =>
    expect(receivedBy(fleet.published, bob).filter((event) => event.case === 'notificationDismissed')).toHaveLength(2),
  )
})

test('after a restore of messaging, a message at a reused place notifies people who had read or left before the restore', async () => {
  const { ann, bob, cat } = people('ann', 'bob', 'cat')
  const { roomId, publisher } = roomOf([ann, bob, cat])
  const mention = { mentions: { userIds: [bob, cat] } }
  for (let n = 0; n < 5; n++) await publisher.post(ann)
  const occurredAt = new Date(Date.now() - 10_000)
  await publisher.read(bob, publisher.seq, { occurredAt })
  await publisher.leave(cat, 'left', occurredAt)
  await untilSettled(publisher, roomId)
  publisher.goBack(1n)
  const published = await publisher.post(ann, mention)
  await untilSettled(publisher, roomId)
  for (const one of [bob, cat]) expect(await pendingOf(one)).toEqual([{ kind: 'mention', eventId: published }])
  await publisher.read(bob)
  await eventually(async () => expect(await pendingOf(bob)).toEqual([]))
})

test('posting a message dismisses its author’s notifications about earlier messages, except those in threads', async () => {
  const { ann, bob } = people('ann', 'bob')
  const { roomId, publisher } = roomOf([ann, bob])
  await publisher.post(ann, { mentions: { userIds: [bob] } })
  const inThread = await publisher.post(ann, { mentions: { userIds: [bob] }, threadRootEventId: 'Eroot' })
  await publisher.post(bob)
  await untilSettled(publisher, roomId)
  expect(await pendingOf(bob)).toEqual([{ kind: 'mention', eventId: inThread }])
})

test('a retracted message notifies nobody, whichever event comes first', async () => {
  const { ann, bob, all } = people('ann', 'bob', 'all')
  const { roomId, publisher } = roomOf([ann, bob, all])
  await fleet.as(all).preferences.updateRoomNotificationPreference({ roomId, level: ALL_MESSAGES })
  const gone = await publisher.post(ann, { mentions: { userIds: [bob] }, threadRootEventId: 'Eroot' })
  const echo = await publisher.post(ann, { echoOfEventId: gone })
  const second = await publisher.post(ann, { threadRootEventId: 'Eroot', threadFollowerIds: [bob] })
  const secondEcho = await publisher.post(ann, { echoOfEventId: second })
  await untilSettled(publisher, roomId)
  expect(await pendingOf(bob)).toHaveLength(2)
  expect((await pendingOf(all)).map(({ eventId }) => eventId).slice(1)).toEqual([secondEcho, echo])
  await publisher.retract(gone, { channelEchoEventId: echo })
  await publisher.retract(secondEcho, { echoOnly: true })
  await eventually(async () => expect(await pendingOf(bob)).toEqual([{ kind: 'reply', eventId: second }]))
  await eventually(async () => expect(await pendingOf(all)).toHaveLength(1))

  publisher.isHolding = true
  const early = await publisher.post(ann, { mentions: { userIds: [bob] } })
  await publisher.retract(early)
  for (const event of publisher.created.slice(-2).reverse()) await publish(fleet.bus, event)
  publisher.isHolding = false
  await untilSettled(publisher, roomId)
  expect(await pendingOf(bob)).toEqual([{ kind: 'reply', eventId: second }])
})

test('a person who left or was banned is not notified of earlier messages, whichever event comes first', async () => {
  const { ann, bob, ban } = people('ann', 'bob', 'ban')
  const { roomId, publisher } = roomOf([ann, bob, ban])
  const mention = { mentions: { userIds: [bob, ban] } }
  await publisher.post(ann, { ...mention, threadRootEventId: 'Eroot' })
  await publisher.post(ann, mention)
  await untilSettled(publisher, roomId)
  expect(await pendingOf(bob)).toHaveLength(2)
  publisher.isHolding = true
  await publisher.post(ann, mention)
  await publisher.leave(bob)
  await publisher.leave(ban, 'banned')
  const back = await publisher.post(ann, mention)
  const [before, ...after] = publisher.created.slice(-4)
  // Rooms still lists them as members; the place in the log decides.
  for (const event of after) await publish(fleet.bus, event)
  if (before) await publish(fleet.bus, before)
  publisher.isHolding = false
  await untilSettled(publisher, roomId)
  for (const userId of [bob, ban]) expect(await pendingOf(userId)).toEqual([{ kind: 'mention', eventId: back }])
})

test('repeated events notify nobody again, not even after a dismissal', async () => {
  const { ann, bob, cat } = people('ann', 'bob', 'cat')
  const { roomId, publisher } = roomOf([ann, bob, cat])
  await publisher.post(ann, { mentions: { userIds: [bob, cat] } })
  await publisher.post(ann, { mentions: { all: true } })
  await untilSettled(publisher, roomId)
  const { notifications } = fleet.as(cat)
  expect(await notifications.dismissAllNotifications({})).toMatchObject({ dismissedCount: 2 })
  // Two events for each notification: that it was created, and the mention.
  await eventually(() => expect(receivedBy(fleet.published, bob)).toHaveLength(4))
  const before = { bob: receivedBy(fleet.published, bob), ids: await pendingOf(bob) }
  // The inbox forgets events after three days; from then on, the rows of notifications prevent duplicates.
  await fleet.db.execute('delete from inbox')
  for (const event of [...publisher.created].reverse()) await publish(fleet.bus, event)
  await untilSettled(publisher, roomId)
  expect(await pendingOf(bob)).toEqual(before.ids)
  expect(await pendingOf(cat)).toEqual([])
  expect(receivedBy(fleet.published, bob)).toEqual(before.bob)
  expect(receivedBy(fleet.published, bob).filter((event) => event.case === 'notificationCreated')).toHaveLength(2)
})

test('while other services are down, notifications are delayed', async () => {
  const { ann, bob } = people('ann', 'bob')
  const { roomId, publisher } = roomOf([ann, bob])
  fleet.fakes.allUnavailable = true
  const requested = fleet.fakes.calls.length
  const eventId = await publisher.post(ann, { mentions: { userIds: [bob] } })
  await eventually(() => expect(fleet.fakes.calls.length).toBeGreaterThan(requested + 1))
  fleet.fakes.allUnavailable = false
  await untilSettled(publisher, roomId)
  await eventually(async () => expect(await pendingOf(bob)).toEqual([{ kind: 'mention', eventId }]))
})
