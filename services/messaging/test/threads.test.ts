import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { eventually, recordEvents } from '@parley/testkit'
import { errorWith, say } from './_conversation.ts'
import { deliveriesOf } from './_events.ts'
import { useFleet, type Person } from './_fleet.ts'

const fleet = useFleet()

async function createRoomWithRoot() {
  const { roomId } = await fleet.room().channel(['ann', 'bob', 'cyd'])
  const [ann, bob, cyd] = [fleet.as('ann'), fleet.as('bob'), fleet.as('cyd')]
  const root = await say(ann, roomId, 'root')
  await fleet.untilRelayed(roomId)
  return { roomId, ann, bob, cyd, root }
}

test('a reply is in its thread, not in the timeline', async () => {
  const { roomId, ann, bob, root } = await createRoomWithRoot()
  const reply = await say(bob, roomId, 'reply', { threadRootEventId: root.id })
  expect(reply).toMatchObject({ threadRootEventId: root.id, inReplyTo: '' })
  expect(reply.thread).toBeUndefined()
  const { page } = await ann.rooms.getRoomEvents({ roomId })
  const last = page?.events.at(-1)
  expect(last?.id).toBe(root.id)
  const thread = last?.event.case === 'messagePosted' ? last.event.value.message?.thread : undefined
  expect(thread).toMatchObject({
    threadRootEventId: root.id,
    replyCount: 1,
    lastReplyAt: reply.createdAt,
    participantPreviewUserIds: ['bob'],
    participantCount: 1,
  })
  expect(Object.keys(page?.includes?.users ?? {})).toEqual(expect.arrayContaining(['ann', 'bob']))
  expect((await ann.messages.getMessage({ roomId, eventId: reply.id })).message).toEqual(reply)
})

test('participants are in the order of their first reply, and shown up to five', async () => {
  const people = Array.from({ length: 7 }, (_, n) => `p${n}`)
  const { roomId } = await fleet.room().channel(people)
  const root = await say(fleet.as('p0'), roomId, 'root')
  for (const userId of [...people, ...people].reverse()) {
    await say(fleet.as(userId), roomId, 'reply', { threadRootEventId: root.id })
  }
  const { message } = await fleet.as('p0').messages.getMessage({ roomId, eventId: root.id })
  expect(message?.thread).toMatchObject({ replyCount: 14, participantCount: 7 })
  expect(message?.thread?.participantPreviewUserIds).toEqual(['p6', 'p5', 'p4', 'p3', 'p2'])
})

test('the first reply announces the new thread, and its new followers', async () => {
  const { roomId, ann, bob, cyd, root } = await createRoomWithRoot()
  await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.message_posted.text`)
  const first = await say(bob, roomId, 'one', { threadRootEventId: root.id })
  const second = await say(bob, roomId, 'two', { threadRootEventId: root.id })
  const third = await say(cyd, roomId, 'three', { inReplyTo: second.id })
  expect(third).toMatchObject({ threadRootEventId: root.id, inReplyTo: second.id })
  const events = await eventually(() => recorded.events.length === 3 && recorded.events)
  const inThread = { roomId, threadRootEventId: root.id }
  expect(events.map((event) => deliveriesOf(event).map(({ to, kind, value }) => ({ to, kind, value })))).toEqual([
    [
      { to: roomId, kind: 'messagePosted', value: { ...inThread, messageEventId: first.id } },
      { to: roomId, kind: 'threadCreated', value: inThread },
      { to: ['bob'], kind: 'threadFollowChanged', value: { ...inThread, following: true } },
      { to: ['ann'], kind: 'threadFollowChanged', value: { ...inThread, following: true } },
    ],
    [{ to: roomId, kind: 'messagePosted', value: { ...inThread, messageEventId: second.id } }],
    [
      { to: roomId, kind: 'messagePosted', value: { ...inThread, messageEventId: third.id } },
      { to: ['cyd'], kind: 'threadFollowChanged', value: { ...inThread, following: true } },
    ],
  ])
  expect(events.map(({ fact }) => fact.value)).toMatchObject([
    { threadRootEventId: root.id, inReplyTo: '' },
    { threadRootEventId: root.id, inReplyTo: '' },
    { threadRootEventId: root.id, inReplyTo: second.id },
  ])
  const follows = async (person: Person) =>
    (await person.messages.getMessage({ roomId, eventId: root.id })).message?.thread?.viewerState?.isFollowing
  expect(await Promise.all([ann, bob, cyd].map(follows))).toEqual([true, true, true])
})

test('the author of a root does not follow its thread after leaving the room or a ban', async () => {
  const left = await fleet.room().channel(['lea', 'bob'])
  const banned = await fleet.room().channel(['lea', 'bob'])
  const open = await (await fleet.room().channel([])).setUniversal(true)
  const rooms = [left, banned, open]
  const roots = await Promise.all(rooms.map(({ roomId }) => say(fleet.as('lea'), roomId, 'root')))
  await left.leave('lea')
  await banned.ban('lea')
  const published = await Promise.all(
    rooms.map(async ({ roomId }, n) => {
      await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.message_posted.text`)
      const reply = await say(fleet.as('bob'), roomId, 'reply', { threadRootEventId: roots[n]?.id ?? '' })
      // The event of the root may arrive after the recording has begun, too.
      const event = await eventually(() => recorded.events.find(({ id }) => id === reply.id) ?? false)
      return deliveriesOf(event).flatMap(({ to, kind }) => (kind === 'threadFollowChanged' ? to : []))
    }),
  )
  expect(published).toEqual([['bob'], ['bob'], ['bob', 'lea']])
})

test('a user who replies to themselves follows the thread once', async () => {
  const { roomId, ann, root } = await createRoomWithRoot()
  await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.message_posted.text`)
  await say(ann, roomId, 'me again', { threadRootEventId: root.id })
  const [event] = await eventually(() => recorded.events.length > 0 && recorded.events)
  expect(event && deliveriesOf(event).map(({ to, kind }) => [to, kind])).toEqual([
    [roomId, 'messagePosted'],
    [roomId, 'threadCreated'],
    [['ann'], 'threadFollowChanged'],
  ])
})

describe('an echo', () => {
  test('is in the timeline with the text of its reply', async () => {
    const { roomId, ann, bob, root } = await createRoomWithRoot()
    await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.message_posted.text`)
    const reply = await say(bob, roomId, 'for all', { threadRootEventId: root.id, alsoSendToChannel: true })
    expect(reply).toMatchObject({ threadRootEventId: root.id, channelEchoEventId: expect.stringMatching(/^E/) })
    const { page } = await ann.rooms.getRoomEvents({ roomId })
    const last = page?.events.at(-1)
    const echo = last?.event.case === 'messagePosted' ? last.event.value.message : undefined
    expect(echo).toMatchObject({
      id: reply.channelEchoEventId,
      actorId: 'bob',
      body: 'for all',
      threadRootEventId: '',
      echoOfEventId: reply.id,
      echoFromThreadRootEventId: root.id,
      createdAt: reply.createdAt,
    })
    expect((await ann.messages.getMessage({ roomId, eventId: reply.id })).message).toEqual(reply)
    expect((await ann.messages.getMessage({ roomId, eventId: echo?.id ?? '' })).message).toEqual(echo)

    const events = await eventually(() => recorded.events.length === 2 && recorded.events)
    expect(events.map(({ id, version }) => [id, version])).toEqual([
      [reply.id, 6n],
      [echo?.id, 7n],
    ])
    expect(events[1]?.fact).toMatchObject({ value: { roomSeq: 7n, echoOfEventId: reply.id, threadRootEventId: '' } })
    expect(events[1] && deliveriesOf(events[1]).map(({ to, kind }) => [to, kind])).toEqual([
      [roomId, 'messagePosted'],
      [['bob'], 'roomMarkedAsRead'],
    ])
  })

  test('can be replied to in the channel, and in the thread through its reply', async () => {
    const { roomId, bob, root } = await createRoomWithRoot()
    const reply = await say(bob, roomId, 'for all', { threadRootEventId: root.id, alsoSendToChannel: true })
    const echoId = reply.channelEchoEventId
    const flat = await say(bob, roomId, 'flat', { inReplyTo: echoId })
    expect(flat).toMatchObject({ inReplyTo: echoId, threadRootEventId: '' })
    const inThread = await say(bob, roomId, 'in', { inReplyTo: echoId, threadRootEventId: root.id })
    expect(inThread).toMatchObject({ inReplyTo: reply.id, threadRootEventId: root.id })
  })
})

describe('a reply is refused', () => {
  test('in a thread of a direct message, for owners too: invalid_argument', async () => {
    const { roomId } = await fleet.room().dm(['ann', 'bob'])
    const root = await say(fleet.as('ann'), roomId, 'root')
    const inDm = errorWith(Code.InvalidArgument, 'no threads')
    await expect(say(fleet.as('bob'), roomId, 'x', { threadRootEventId: root.id })).rejects.toMatchObject(inDm)
    await expect(say(fleet.as('ann', ['owner']), roomId, 'x', { threadRootEventId: root.id })).rejects.toMatchObject(
      inDm,
    )
    expect(await say(fleet.as('bob'), roomId, 'flat', { inReplyTo: root.id })).toMatchObject({ inReplyTo: root.id })
  })

  test('in a thread with an unknown root: not_found', async () => {
    const { roomId, ann } = await createRoomWithRoot()
    for (const threadRootEventId of ['Enothing', 'a b']) {
      await expect(say(ann, roomId, 'x', { threadRootEventId })).rejects.toMatchObject(
        errorWith(Code.NotFound, 'thread root'),
      )
    }
  })

  test('in a thread whose root is a reply, an echo or no message: invalid_argument', async () => {
    const { roomId, ann, root } = await createRoomWithRoot()
    const reply = await say(ann, roomId, 'reply', { threadRootEventId: root.id, alsoSendToChannel: true })
    const { page } = await ann.rooms.getRoomEvents({ roomId })
    for (const threadRootEventId of [reply.id, reply.channelEchoEventId, page?.events[0]?.id ?? '']) {
      await expect(say(ann, roomId, 'x', { threadRootEventId })).rejects.toMatchObject(
        errorWith(Code.InvalidArgument, 'thread_root_event_id'),
      )
    }
  })

  test('in a thread to a message outside of it: invalid_argument', async () => {
    const { roomId, ann, root } = await createRoomWithRoot()
    const other = await say(ann, roomId, 'other')
    const elsewhere = say(ann, roomId, 'x', { threadRootEventId: root.id, inReplyTo: other.id })
    await expect(elsewhere).rejects.toMatchObject(errorWith(Code.InvalidArgument, 'in_reply_to'))
    const toRoot = await say(ann, roomId, 'x', { threadRootEventId: root.id, inReplyTo: root.id })
    expect(toRoot).toMatchObject({ inReplyTo: root.id, threadRootEventId: root.id })
  })

  test('with an echo if it is not in a thread: invalid_argument', async () => {
    const { roomId, ann, root } = await createRoomWithRoot()
    const posting = say(ann, roomId, 'x', { inReplyTo: root.id, alsoSendToChannel: true })
    await expect(posting).rejects.toMatchObject(errorWith(Code.InvalidArgument, 'also_send_to_channel'))
  })
})
