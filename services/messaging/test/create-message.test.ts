import { Code } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { eventually, recordEvents } from '@parley/testkit'
import { errorWith } from './_conversation.ts'
import { deliveriesOf } from './_events.ts'
import { useFleet } from './_fleet.ts'

const fleet = useFleet()

describe('a posted message', () => {
  test('is returned, and can be fetched', async () => {
    const { roomId } = await fleet.room().channel(['ann', 'bob'])
    const { message } = await fleet.as('ann').messages.createMessage({ roomId, body: ' hello\nthere ' })
    expect(message).toMatchObject({ roomId, actorId: 'ann', body: ' hello\nthere ', attachments: [], reactions: [] })
    expect(message).toMatchObject({ inReplyTo: '', threadRootEventId: '', channelEchoEventId: '' })
    expect(message?.thread).toMatchObject({ threadRootEventId: message?.id, replyCount: 0, participantCount: 0 })
    expect(message?.updatedAt).toBeUndefined()
    expect(message?.deletedAt).toBeUndefined()
    const read = await fleet.as('bob').messages.getMessage({ roomId, eventId: message?.id ?? '' })
    expect(read.message).toEqual(message)
  })

  test('is announced to the room and its author in one event', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.message_posted.text`)
    const { message } = await fleet.as('ann').messages.createMessage({ roomId, body: 'secret body' })
    const [event] = await eventually(() => recorded.events.length > 0 && recorded.events)
    expect(event).toMatchObject({ id: message?.id, aggregateType: 'room', aggregateId: roomId, actorId: 'ann' })
    expect(event).toMatchObject({ version: 3n, occurredAt: message?.createdAt })
    expect(event?.fact).toMatchObject({ case: 'messagePosted', value: { roomSeq: 3n, dmParticipantIds: [] } })
    expect(event && deliveriesOf(event)).toEqual([
      {
        to: roomId,
        id: message?.id,
        actorId: 'ann',
        kind: 'messagePosted',
        value: { roomId, messageEventId: message?.id },
      },
      { to: ['ann'], id: expect.any(String), actorId: 'ann', kind: 'roomMarkedAsRead', value: { roomId } },
    ])
    expect(Buffer.from(event?.deliveries[0]?.envelope ?? []).toString('latin1')).not.toContain('secret body')
  })

  test('in a direct message is announced to the participants', async () => {
    const { roomId } = await fleet.room().dm(['ann', 'bob'])
    await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.message_posted.text`)
    await fleet.as('bob').messages.createMessage({ roomId, body: 'hi' })
    const [event] = await eventually(() => recorded.events.length > 0 && recorded.events)
    expect(event?.fact).toMatchObject({ value: { dmParticipantIds: ['ann', 'bob'] } })
    expect(event && deliveriesOf(event)[0]).toMatchObject({ to: ['ann', 'bob'], kind: 'messagePosted' })
  })

  test('is accepted as soon as the join is applied, and comes after it', async () => {
    const room = await fleet.room().channel(['ann'])
    await room.join('bob')
    await fleet.as('bob').messages.createMessage({ roomId: room.roomId, body: 'hi' })
    const { page } = await fleet.as('ann').rooms.getRoomEvents({ roomId: room.roomId })
    expect(page?.events.slice(-2).map(({ event, actorId }) => [event.case, actorId])).toEqual([
      ['userJoinedRoom', 'bob'],
      ['messagePosted', 'bob'],
    ])
  })

  test('may reply to another message', async () => {
    const { roomId } = await fleet.room().channel(['ann', 'bob'])
    const first = await fleet.as('ann').messages.createMessage({ roomId, body: 'tea?' })
    const inReplyTo = first.message?.id ?? ''
    const { message } = await fleet.as('bob').messages.createMessage({ roomId, body: 'yes', inReplyTo })
    expect(message).toMatchObject({ inReplyTo, threadRootEventId: '' })
    const read = await fleet.as('ann').messages.getMessage({ roomId, eventId: message?.id ?? '' })
    expect(read.message).toEqual(message)
  })

  test('may have up to 10,000 bytes', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const body = 'é'.repeat(5_000)
    const { message } = await fleet.as('ann').messages.createMessage({ roomId, body })
    expect(message?.body).toBe(body)
  })
})

describe('a post is refused with invalid_argument', () => {
  test.each([
    ['an empty body', { body: '' }, 'visible'],
    ['a blank body', { body: ' \n\u200B' }, 'visible'],
    ['a body that is too long', { body: 'é'.repeat(5_001) }, '10000 bytes'],
    ['a body with NUL', { body: 'a\0b' }, 'U+0000'],
    ['an unknown attachment', { attachmentAssetIds: ['Anothing', 'Aother'] }, 'Anothing'],
    ['an unknown preview', { body: 'x', linkPreviewToken: 'prl_LPx' }, 'link_preview_token'],
    ['an echo outside a thread', { body: 'x', alsoSendToChannel: true }, 'also_send_to_channel'],
    ['a reply to an unknown event', { body: 'x', inReplyTo: 'Enothing' }, 'in_reply_to'],
    ['a reply to a malformed id', { body: 'x', inReplyTo: 'a\0b' }, 'in_reply_to'],
    ['an empty room id', { roomId: '', body: 'x' }, 'room_id'],
    ['too many attachments', { attachmentAssetIds: Array.from({ length: 11 }, (_, n) => `A${n}`) }, 'attachment'],
  ])('for %s', async (_, request, message) => {
    const { roomId } = await fleet.room().channel(['ann'])
    const posting = fleet.as('ann').messages.createMessage({ roomId, ...request })
    await expect(posting).rejects.toMatchObject(errorWith(Code.InvalidArgument, message))
    const { page } = await fleet.as('ann').rooms.getRoomEvents({ roomId })
    expect(page?.events).toHaveLength(2)
  })

  test('for a reply to an event that is not a message', async () => {
    const room = await fleet.room().channel(['ann'])
    const inReplyTo = room.facts[1]?.eventId ?? ''
    const posting = fleet.as('ann').messages.createMessage({ roomId: room.roomId, body: 'x', inReplyTo })
    await expect(posting).rejects.toMatchObject(errorWith(Code.InvalidArgument, 'in_reply_to'))
  })

  test('for a reply to a message of another room', async () => {
    const [here, there] = await Promise.all([fleet.room().channel(['ann']), fleet.room().channel(['ann'])])
    const { message } = await fleet.as('ann').messages.createMessage({ roomId: there.roomId, body: 'x' })
    const posting = fleet.as('ann').messages.createMessage({
      roomId: here.roomId,
      body: 'x',
      inReplyTo: message?.id ?? '',
    })
    await expect(posting).rejects.toMatchObject(errorWith(Code.InvalidArgument, 'in_reply_to'))
  })
})

describe('a post is refused', () => {
  test.each(['Rnothing', 'a b', 'ä', 'R'.repeat(100)])('in the unknown room %j: not_found', async (roomId) => {
    const posting = fleet.as('ann').messages.createMessage({ roomId, body: 'x' })
    await expect(posting).rejects.toMatchObject(errorWith(Code.NotFound, 'room not found'))
  })

  test('by a non-member, even an owner or in an archived room: permission_denied', async () => {
    const room = await fleet.room().channel(['ann'])
    const { roomId } = room
    const notAMember = errorWith(Code.PermissionDenied, 'not a member')
    await expect(fleet.as('bob').messages.createMessage({ roomId, body: 'x' })).rejects.toMatchObject(notAMember)
    await expect(fleet.as('olga', ['owner']).messages.createMessage({ roomId, body: 'x' })).rejects.toMatchObject(
      notAMember,
    )
    await room.archive()
    await expect(fleet.as('bob').messages.createMessage({ roomId, body: 'x' })).rejects.toMatchObject(notAMember)
    await expect(
      fleet.as('bob').messages.createMessage({ roomId, body: 'x', inReplyTo: room.facts[0]?.eventId ?? '' }),
    ).rejects.toMatchObject(notAMember)
    await expect(fleet.as('bob').messages.createMessage({ roomId, attachmentAssetIds: ['Ax'] })).rejects.toMatchObject(
      notAMember,
    )
  })

  test('by a former member: permission_denied', async () => {
    const room = await fleet.room().channel(['ann', 'bob'])
    const bob = fleet.as('bob').messages
    await bob.createMessage({ roomId: room.roomId, body: 'x' })
    await room.leave('bob')
    await expect(bob.createMessage({ roomId: room.roomId, body: 'x' })).rejects.toMatchObject(
      errorWith(Code.PermissionDenied, 'not a member'),
    )
  })

  test('in an archived room, until it is unarchived: failed_precondition', async () => {
    const room = await fleet.room().channel(['ann'])
    const post = () => fleet.as('ann').messages.createMessage({ roomId: room.roomId, body: 'x' })
    await room.archive()
    await expect(post()).rejects.toMatchObject(errorWith(Code.FailedPrecondition, 'archived'))
    await room.unarchive()
    await post()
  })

  test('by a user whose ban has not ended: permission_denied', async () => {
    const room = await fleet.room().channel(['ann'], { universal: true })
    const post = () => fleet.as('bob').messages.createMessage({ roomId: room.roomId, body: 'x' })
    const banned = errorWith(Code.PermissionDenied, 'not a member')
    await post()
    await room.ban('bob')
    await expect(post()).rejects.toMatchObject(banned)
    await room.unban('bob')
    await post()
    await room.ban('bob', new Date(Date.now() + 60_000))
    await expect(post()).rejects.toMatchObject(banned)
    await room.apply({ case: 'banExpired', value: { userId: 'bob' } })
    await post()
    await room.ban('bob', new Date(Date.now() - 1))
    await post()
  })

  test('without a membership, unless the room is universal: permission_denied', async () => {
    const room = await fleet.room().channel(['ann'], { universal: true })
    const post = () => fleet.as('bob').messages.createMessage({ roomId: room.roomId, body: 'x' })
    await post()
    await room.setUniversal(false)
    await expect(post()).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'not a member'))
    await room.setUniversal(true)
    await post()
  })
})

describe('the permission', () => {
  const denied: { permission: string; roomId: string }[] = []

  beforeAll(async () => {
    const permissions = ['message.post', 'message.attach', 'room.join', 'message.post-in-thread', 'message.echo']
    const rooms = await Promise.all(permissions.map(() => fleet.room().channel(['ann'], { universal: true })))
    const { decisions } = fleet.fakes.policy
    for (const [index, { roomId }] of rooms.entries()) {
      const permission = permissions[index] ?? ''
      denied.push({ permission, roomId })
      decisions.push({
        $typeName: 'svc.internal.v1.PolicyDecision',
        roleId: 'everyone',
        userId: '',
        permission,
        scope: { $typeName: 'svc.admin.v1.PermissionScope', kind: PermissionScopeKind.ROOM, id: roomId },
        decision: PermissionDecision.DENY,
      })
    }
    await fleet.restart()
  })

  const roomWithout = (permission: string) => denied.find((entry) => entry.permission === permission)?.roomId ?? ''

  test('message.post is required', async () => {
    const roomId = roomWithout('message.post')
    const posting = fleet.as('ann').messages.createMessage({ roomId, body: 'x' })
    await expect(posting).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'message.post'))
    await fleet.as('olga', ['owner']).messages.createMessage({ roomId, body: 'x' })
  })

  test('message.attach is required, and checked before the attachments', async () => {
    const request = { roomId: roomWithout('message.attach'), body: 'x' }
    await fleet.as('ann').messages.createMessage(request)
    const posting = fleet.as('ann').messages.createMessage({ ...request, attachmentAssetIds: ['Ax'] })
    await expect(posting).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'message.attach'))
  })

  test('room.join is required in a universal room without an explicit membership', async () => {
    const roomId = roomWithout('room.join')
    await fleet.as('ann').messages.createMessage({ roomId, body: 'x' })
    const posting = fleet.as('bob').messages.createMessage({ roomId, body: 'x' })
    await expect(posting).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'not a member'))
  })

  test('message.post-in-thread is required in a thread, for an echo also message.echo and message.post', async () => {
    const post = async (permission: string) => {
      const roomId = roomWithout(permission)
      const olga = fleet.as('olga', ['owner']).messages
      const root = await olga.createMessage({ roomId, body: 'root' })
      const threadRootEventId = root.message?.id ?? ''
      const reply = await olga.createMessage({ roomId, body: 'reply', threadRootEventId })
      const ann = fleet.as('ann').messages
      return {
        reply: () => ann.createMessage({ roomId, body: 'x', threadRootEventId }),
        answer: () => ann.createMessage({ roomId, body: 'x', inReplyTo: reply.message?.id ?? '' }),
        echo: () => ann.createMessage({ roomId, body: 'x', threadRootEventId, alsoSendToChannel: true }),
      }
    }
    const inThread = await post('message.post-in-thread')
    const threadRefused = errorWith(Code.PermissionDenied, 'message.post-in-thread')
    await expect(inThread.reply()).rejects.toMatchObject(threadRefused)
    await expect(inThread.answer()).rejects.toMatchObject(threadRefused)

    const echo = await post('message.echo')
    await echo.reply()
    await expect(echo.echo()).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'message.echo'))

    const inChannel = await post('message.post')
    await inChannel.reply()
    await expect(inChannel.echo()).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'message.post in'))
  })
})
