import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { eventually } from '@parley/testkit'
import {
  postWithEcho,
  messageNotFound,
  read,
  recordRoomEvents,
  errorWith,
  say,
  findInTimeline,
  clientEventsOf,
} from './_conversation.ts'
import { useFleet } from './_fleet.ts'

const hour = 3_600_000

const fleet = useFleet({ now: () => new Date(Date.now() + ahead) })
let ahead = 0

const room = async () => (await fleet.room().channel(['ann', 'bob', 'mod'])).roomId
const [ann, bob, mod, olga] = [
  () => fleet.as('ann'),
  () => fleet.as('bob'),
  () => fleet.as('mod', ['moderator']),
  () => fleet.as('olga', ['owner']),
]

async function later<T>(ms: number, run: () => Promise<T>): Promise<T> {
  ahead = ms
  try {
    return await run()
  } finally {
    ahead = 0
  }
}

describe('an author', () => {
  test('changes the text, and the room is notified once', async () => {
    const roomId = await room()
    const { id: eventId, createdAt } = await say(ann(), roomId, 'befor')
    await using recorded = await recordRoomEvents(fleet, roomId)
    const { message } = await ann().messages.updateMessage({ roomId, eventId, body: 'after' })
    expect(message).toMatchObject({ id: eventId, body: 'after', createdAt, updatedAt: expect.anything() })
    expect(await read(bob(), roomId, eventId)).toEqual(message)
    const [event] = await eventually(() => recorded.events.length > 0 && recorded.events)
    expect(event).toMatchObject({ kind: 'message_edited', version: 6n, actorId: 'ann', aggregateId: roomId })
    expect(event?.fact).toMatchObject({
      case: 'messageEdited',
      value: { roomSeq: 6n, messageEventId: eventId, removedAssetIds: [], threadRootEventId: '' },
    })
    expect(clientEventsOf(recorded.events)).toEqual([
      { kind: 'message_edited', deliveries: [{ to: roomId, kind: 'messageEdited', roomId, messageEventId: eventId }] },
    ])
    expect(Buffer.from(event?.deliveries[0]?.envelope ?? []).toString('latin1')).not.toContain('after')
  })

  test('changes nothing with the same text, and nothing is announced', async () => {
    const roomId = await room()
    const { id: eventId } = await say(ann(), roomId, 'same')
    await using recorded = await recordRoomEvents(fleet, roomId)
    const { message } = await ann().messages.updateMessage({ roomId, eventId, body: 'same' })
    expect(message?.updatedAt).toBeUndefined()
    const { id } = await say(ann(), roomId, 'next')
    const events = await eventually(() => recorded.events.length > 0 && recorded.events)
    expect(events.map((event) => event.id)).toEqual([id])
    expect(events[0]?.version).toBe(6n)
  })

  test('edits in direct messages, and the participants are notified', async () => {
    const { roomId } = await fleet.room().dm(['ann', 'bob'])
    const { id: eventId } = await say(ann(), roomId, 'x')
    await using recorded = await recordRoomEvents(fleet, roomId, 'message_edited.text')
    await ann().messages.updateMessage({ roomId, eventId, body: 'y' })
    await eventually(() => recorded.events.length > 0)
    expect(clientEventsOf(recorded.events)[0]?.deliveries[0]?.to).toEqual(['ann', 'bob'])
  })

  test('may edit within three hours, not later, whatever their permissions', async () => {
    const roomId = await room()
    for (const author of [ann(), mod()]) {
      const { id: eventId } = await say(author, roomId, 'x')
      await later(2.99 * hour, () => author.messages.updateMessage({ roomId, eventId, body: 'in time' }))
      const late = later(3.01 * hour, () => author.messages.updateMessage({ roomId, eventId, body: 'late' }))
      await expect(late).rejects.toMatchObject(errorWith(Code.FailedPrecondition, 'no longer be edited'))
      expect((await read(author, roomId, eventId))?.body).toBe('in time')
    }
  })
})

describe('other users', () => {
  test('need message.manage, and have no time limit', async () => {
    const roomId = await room()
    const { id: eventId } = await say(ann(), roomId, 'x')
    const editing = bob().messages.updateMessage({ roomId, eventId, body: 'y' })
    await expect(editing).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'message.manage'))
    await later(24 * hour, () => mod().messages.updateMessage({ roomId, eventId, body: 'by mod' }))
    expect(await read(bob(), roomId, eventId)).toMatchObject({ body: 'by mod', actorId: 'ann' })
  })

  test('need message.manage in a direct message, where moderators lack it', async () => {
    const { roomId } = await fleet.room().dm(['ann', 'mod'])
    const { id: eventId } = await say(ann(), roomId, 'x')
    const editing = mod().messages.updateMessage({ roomId, eventId, body: 'y' })
    await expect(editing).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'message.manage'))
  })

  test('cannot change the echo', async () => {
    const roomId = await room()
    const { reply } = await postWithEcho(ann(), roomId)
    const removing = mod().messages.updateMessage({ roomId, eventId: reply.id, alsoSendToChannel: false })
    await expect(removing).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'author'))
    const both = mod().messages.updateMessage({ roomId, eventId: reply.id, body: 'y', alsoSendToChannel: false })
    await expect(both).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'author'))
    expect((await read(ann(), roomId, reply.id))?.body).toBe('reply')
  })

  test('are refused without a membership, even if they are moderators', async () => {
    const roomId = await room()
    const { id: eventId } = await say(ann(), roomId, 'x')
    for (const person of [fleet.as('eve'), fleet.as('eve', ['moderator'])]) {
      const editing = person.messages.updateMessage({ roomId, eventId, body: 'y' })
      await expect(editing).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'not a member'))
    }
  })
})

describe('an edit is refused', () => {
  test.each([
    ['a request without changes', {}, 'nothing to change'],
    ['an empty text', { body: '' }, 'visible character'],
    ['an invisible text', { body: ' \u200b\n' }, 'visible character'],
    ['a text of more than 10,000 bytes', { body: 'é'.repeat(5_001) }, '10000 bytes'],
    ['a text that contains U+0000', { body: 'a\0b' }, 'U+0000'],
    ['an echo of a message outside a thread', { alsoSendToChannel: true }, 'also_send_to_channel'],
  ])('for %s: invalid_argument', async (_, change, message) => {
    const roomId = await room()
    const { id: eventId } = await say(ann(), roomId, 'x')
    const editing = ann().messages.updateMessage({ roomId, eventId, ...change })
    await expect(editing).rejects.toMatchObject(errorWith(Code.InvalidArgument, message))
  })

  test('of anything but a message of the room, and of a retracted message: not_found', async () => {
    const roomId = await room()
    const elsewhere = await say(ann(), await room(), 'x')
    const deleted = await say(ann(), roomId, 'x')
    await ann().messages.deleteMessage({ roomId, eventId: deleted.id })
    const { page } = await ann().rooms.getRoomEvents({ roomId })
    for (const eventId of ['Enothing', 'a b', elsewhere.id, deleted.id, page?.events[0]?.id ?? '']) {
      await expect(ann().messages.updateMessage({ roomId, eventId, body: 'y' })).rejects.toMatchObject(messageNotFound)
    }
    const nowhere = ann().messages.updateMessage({ roomId: 'Rnothing', eventId: elsewhere.id, body: 'y' })
    await expect(nowhere).rejects.toMatchObject(errorWith(Code.NotFound, 'room'))
  })

  test('in an archived room: failed_precondition', async () => {
    const channel = await fleet.room().channel(['ann'])
    const { roomId } = channel
    const { id: eventId } = await say(ann(), roomId, 'x')
    await channel.archive()
    const editing = ann().messages.updateMessage({ roomId, eventId, body: 'y' })
    await expect(editing).rejects.toMatchObject(errorWith(Code.FailedPrecondition, 'archived'))
    await channel.unarchive()
    await ann().messages.updateMessage({ roomId, eventId, body: 'y' })
  })

  test('if the author has left or is banned: permission_denied', async () => {
    const channel = await fleet.room().channel(['ann', 'bob'])
    const { roomId } = channel
    const [first, second] = [await say(ann(), roomId, 'x'), await say(bob(), roomId, 'x')]
    await channel.leave('ann')
    await channel.ban('bob')
    for (const [person, eventId] of [
      [ann(), first.id],
      [bob(), second.id],
    ] as const) {
      const editing = person.messages.updateMessage({ roomId, eventId, body: 'y' })
      await expect(editing).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'not a member'))
    }
  })
})

describe('the echo of a reply', () => {
  test('shows an edit made through its id or the id of its reply; both are announced as edited', async () => {
    const roomId = await room()
    const { reply, echoId } = await postWithEcho(ann(), roomId)
    await using recorded = await recordRoomEvents(fleet, roomId, 'message_edited.text')
    for (const [eventId, body] of [
      [reply.id, 'by the reply'],
      [echoId, 'by the echo'],
    ] as const) {
      const { message } = await ann().messages.updateMessage({ roomId, eventId, body })
      expect(message).toMatchObject({ id: eventId, body })
      expect((await read(ann(), roomId, reply.id))?.body).toBe(body)
      expect(await findInTimeline(ann(), roomId, echoId)).toMatchObject({ body, updatedAt: message?.updatedAt })
    }
    await eventually(() => recorded.events.length === 2)
    const both = {
      kind: 'message_edited',
      deliveries: [reply.id, echoId].map((messageEventId) => ({
        to: roomId,
        kind: 'messageEdited',
        roomId,
        messageEventId,
      })),
    }
    expect(clientEventsOf(recorded.events)).toEqual([both, both])
    expect(recorded.events.map(({ fact }) => fact.value)).toMatchObject([
      { messageEventId: reply.id, threadRootEventId: reply.threadRootEventId },
      { messageEventId: reply.id },
    ])
  })

  test('added or posted by a process whose clock is behind moves no times back', async () => {
    const roomId = await room()
    const times = async () =>
      (
        await fleet.pool.query<{ last: Date; read: Date }>(
          `select l.last_message_at as last, m.read_at as read
          from room_lines l join room_markers m using (room_id) where room_id = $1 and user_id = 'ann'`,
          [roomId],
        )
      ).rows[0]
    const root = await say(ann(), roomId, 'root')
    const { id: eventId } = await say(ann(), roomId, 'reply', { threadRootEventId: root.id })
    await later(hour, () => say(ann(), roomId, 'by a clock that is ahead'))
    const before = await times()
    await ann().messages.updateMessage({ roomId, eventId, alsoSendToChannel: true })
    expect(await times()).toEqual(before)
    await say(ann(), roomId, 'a post')
    await say(ann(), roomId, 'another', { threadRootEventId: root.id, alsoSendToChannel: true })
    expect(await times()).toEqual(before)
  })

  test('is added once, at the end of the timeline', async () => {
    const roomId = await room()
    const root = await say(ann(), roomId, 'root')
    const { id: eventId } = await say(ann(), roomId, 'reply', { threadRootEventId: root.id })
    await say(bob(), roomId, 'between')
    await using recorded = await recordRoomEvents(fleet, roomId)
    const { message } = await ann().messages.updateMessage({ roomId, eventId, alsoSendToChannel: true })
    const echoId = message?.channelEchoEventId ?? ''
    expect(message).toMatchObject({ id: eventId, channelEchoEventId: expect.stringMatching(/^E/) })
    expect(message?.updatedAt).toBeUndefined()
    const again = await ann().messages.updateMessage({ roomId, eventId, alsoSendToChannel: true })
    expect(again.message).toEqual(message)

    const { page } = await ann().rooms.getRoomEvents({ roomId })
    const last = page?.events.at(-1)?.event
    expect(last?.case === 'messagePosted' && last.value.message).toMatchObject({
      ...{ id: echoId, body: 'reply', actorId: 'ann', echoOfEventId: eventId, echoFromThreadRootEventId: root.id },
    })
    const events = await eventually(() => recorded.events.length > 0 && recorded.events)
    expect(events.map(({ id, version }) => [id, version])).toEqual([[echoId, 8n]])
    expect(events[0]?.fact).toMatchObject({ case: 'messagePosted', value: { roomSeq: 8n, echoOfEventId: eventId } })
    expect(clientEventsOf(events)).toEqual([
      {
        kind: 'message_posted',
        deliveries: [
          { to: roomId, kind: 'messagePosted', roomId, messageEventId: echoId },
          { to: ['ann'], kind: 'roomMarkedAsRead', roomId },
        ],
      },
    ])
    const state = await fleet.messaging.roomStates({ userId: 'bob', roomIds: [roomId] })
    expect(state.entries[0]?.hasUnread).toBe(true)
    const own = await fleet.messaging.roomStates({ userId: 'ann', roomIds: [roomId] })
    expect(own.entries).toEqual([])
  })

  test('is removed without a placeholder, and may be added again', async () => {
    const roomId = await room()
    const { reply, echoId } = await postWithEcho(ann(), roomId)
    await using recorded = await recordRoomEvents(fleet, roomId)
    const { message } = await ann().messages.updateMessage({ roomId, eventId: echoId, alsoSendToChannel: false })
    expect(message).toMatchObject({ id: reply.id, body: 'reply', channelEchoEventId: '' })
    expect(await findInTimeline(bob(), roomId, echoId)).toBeUndefined()
    await expect(read(bob(), roomId, echoId)).rejects.toMatchObject(messageNotFound)
    await expect(ann().messages.updateMessage({ roomId, eventId: echoId, body: 'y' })).rejects.toMatchObject(
      messageNotFound,
    )
    const [event] = await eventually(() => recorded.events.length > 0 && recorded.events)
    expect(event?.fact).toMatchObject({
      case: 'messageRetracted',
      value: { messageEventId: echoId, echoOnly: true, threadRootEventId: reply.threadRootEventId },
    })
    expect(clientEventsOf(recorded.events)).toEqual([
      {
        kind: 'message_retracted',
        deliveries: [
          {
            ...{ to: roomId, kind: 'messageRetracted', roomId },
            ...{ messageEventId: echoId, threadRootEventId: reply.threadRootEventId },
          },
        ],
      },
    ])
    const again = await ann().messages.updateMessage({ roomId, eventId: reply.id, alsoSendToChannel: true })
    expect(again.message?.channelEchoEventId).not.toBe(echoId)
    expect(await findInTimeline(bob(), roomId, again.message?.channelEchoEventId ?? '')).toMatchObject({
      body: 'reply',
    })
  })

  test('is changed together with the text in two events', async () => {
    const roomId = await room()
    const { reply, echoId } = await postWithEcho(ann(), roomId)
    await using recorded = await recordRoomEvents(fleet, roomId)
    const change = { roomId, eventId: reply.id }
    const without = await ann().messages.updateMessage({ ...change, body: 'one', alsoSendToChannel: false })
    expect(without.message).toMatchObject({ body: 'one', channelEchoEventId: '' })
    const again = await ann().messages.updateMessage({ ...change, body: 'two', alsoSendToChannel: true })
    const newEcho = again.message?.channelEchoEventId ?? ''
    expect(await findInTimeline(bob(), roomId, newEcho)).toMatchObject({ body: 'two' })
    await eventually(() => recorded.events.length === 4)
    expect(recorded.events.map(({ version }) => version)).toEqual([8n, 9n, 10n, 11n])
    expect(clientEventsOf(recorded.events)).toMatchObject([
      { kind: 'message_edited', deliveries: [{ messageEventId: reply.id }] },
      { kind: 'message_retracted', deliveries: [{ messageEventId: echoId }] },
      { kind: 'message_edited', deliveries: [{ messageEventId: reply.id }] },
      { kind: 'message_posted', deliveries: [{ messageEventId: newEcho }, { to: ['ann'], kind: 'roomMarkedAsRead' }] },
    ])
  })

  test('can be added only by the author, within the time limit', async () => {
    const roomId = await room()
    const root = await say(ann(), roomId, 'root')
    const { id: eventId } = await say(ann(), roomId, 'reply', { threadRootEventId: root.id })
    const adding = { roomId, eventId, alsoSendToChannel: true }
    await expect(mod().messages.updateMessage(adding)).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'author'))
    const late = later(3.01 * hour, () => ann().messages.updateMessage(adding))
    await expect(late).rejects.toMatchObject(errorWith(Code.FailedPrecondition, 'no longer be edited'))
    expect((await read(ann(), roomId, eventId))?.channelEchoEventId).toBe('')
  })
})

test('an owner can edit messages of others', async () => {
  const { roomId } = await fleet.room().channel(['ann'], { universal: true })
  const { id: eventId } = await say(ann(), roomId, 'x')
  expect((await olga().messages.updateMessage({ roomId, eventId, body: 'y' })).message?.body).toBe('y')
})

test.each(['message.echo', 'message.post'])('without %s an echo can only be removed', async (permission) => {
  const roomId = await room()
  const { reply } = await postWithEcho(ann(), roomId)
  const { id: eventId } = await say(ann(), roomId, 'x', { threadRootEventId: reply.threadRootEventId })
  fleet.fakes.policy.decisions.push({
    $typeName: 'svc.internal.v1.PolicyDecision',
    ...{ roleId: 'everyone', userId: '', permission, decision: PermissionDecision.DENY },
    scope: { $typeName: 'svc.admin.v1.PermissionScope', kind: PermissionScopeKind.ROOM, id: roomId },
  })
  await fleet.restart()
  const adding = ann().messages.updateMessage({ roomId, eventId, alsoSendToChannel: true })
  await expect(adding).rejects.toMatchObject(errorWith(Code.PermissionDenied, permission))
  const removed = await ann().messages.updateMessage({ roomId, eventId: reply.id, alsoSendToChannel: false })
  expect(removed.message?.channelEchoEventId).toBe('')
})
