import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { echoed, gone, read, recordRoom, refused, say, shown, published } from './_conversation.ts'
import { startFleet, type Fleet } from './_fleet.ts'
import { attach, preview, withoutText } from './_parts.ts'

let fleet: Fleet
beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(async () => fleet[Symbol.asyncDispose]())

const room = async () => (await fleet.room().channel(['ann', 'bob', 'mod'])).roomId
const [ann, mod] = [() => fleet.as('ann'), () => fleet.as('mod', ['moderator'])]
const url = 'https://example.org/a'

describe('an attachment', () => {
  test('is removed by its author, through either id; the room and uploads are notified', async () => {
    const roomId = await room()
    const { reply, echoId } = await echoed(ann(), roomId)
    const [first = '', second = '', third = ''] = await attach(fleet, roomId, reply.id, [{}, {}, {}])
    await using recorded = await recordRoom(fleet, roomId)
    for (const [eventId, attachmentId] of [
      [reply.id, second],
      [echoId, first],
    ] as const) {
      const answer = await ann().messages.deleteAttachment({ roomId, eventId, attachmentId })
      expect(answer).toMatchObject({ deleted: true })
    }
    expect(await read(ann(), roomId, echoId)).toMatchObject({
      attachments: [{ id: third }],
      updatedAt: expect.anything(),
    })
    await eventually(() => recorded.events.length === 2)
    const received = (assetId: string) => ({
      kind: 'message_edited',
      received: [
        { to: roomId, kind: 'messageEdited', roomId, messageEventId: reply.id },
        { to: roomId, kind: 'messageEdited', roomId, messageEventId: echoId },
        { to: roomId, kind: 'assetDeleted', roomId, assetId },
      ],
    })
    expect(published(recorded.events)).toEqual([received(second), received(first)])
    expect(recorded.events.map(({ fact }) => fact.value)).toMatchObject([
      { messageEventId: reply.id, removedAssetIds: [second] },
      { messageEventId: reply.id, removedAssetIds: [first] },
    ])
  })

  test('removes its message if nothing else is shown; a text stays', async () => {
    const roomId = await room()
    const { reply, echoId } = await echoed(ann(), roomId)
    const [first = '', last = ''] = await attach(fleet, roomId, reply.id, [{}, {}])
    await withoutText(fleet, roomId, reply.id)
    const removing = (attachmentId: string) =>
      ann().messages.deleteAttachment({ roomId, eventId: reply.id, attachmentId })
    await removing(first)
    expect(await read(ann(), roomId, reply.id)).toMatchObject({ attachments: [{ id: last }] })
    await using recorded = await recordRoom(fleet, roomId)
    const foreign = mod().messages.deleteAttachment({ roomId, eventId: reply.id, attachmentId: last })
    await expect(foreign).rejects.toMatchObject(refused(Code.PermissionDenied, 'author'))
    expect(await removing(last)).toMatchObject({ deleted: true })
    expect(await shown(ann(), roomId, echoId)).toMatchObject({ attachments: [], deletedAt: expect.anything() })
    await expect(read(ann(), roomId, reply.id)).rejects.toMatchObject(gone)
    await eventually(() => recorded.events.length === 1)
    expect(published(recorded.events)).toEqual([
      {
        kind: 'message_retracted',
        received: [
          { to: roomId, kind: 'messageRetracted', roomId, messageEventId: reply.id },
          { to: roomId, kind: 'assetDeleted', roomId, assetId: last },
        ],
      },
    ])
    expect(recorded.events[0]?.fact).toMatchObject({
      value: { messageEventId: reply.id, channelEchoEventId: echoId, removedAssetIds: [last] },
    })

    const { id: eventId } = await say(ann(), roomId, 'a text')
    const [attachmentId = ''] = await attach(fleet, roomId, eventId, [{}])
    await ann().messages.deleteAttachment({ roomId, eventId, attachmentId })
    expect(await read(ann(), roomId, eventId)).toMatchObject({ body: 'a text', attachments: [] })
  })

  test('cannot be removed by others, including moderators', async () => {
    const roomId = await room()
    const { id: eventId } = await say(ann(), roomId, 'x')
    const [attachmentId = ''] = await attach(fleet, roomId, eventId, [{}])
    const removing = mod().messages.deleteAttachment({ roomId, eventId, attachmentId })
    await expect(removing).rejects.toMatchObject(refused(Code.PermissionDenied, 'author'))
    const outside = fleet.as('eve').messages.deleteAttachment({ roomId, eventId, attachmentId })
    await expect(outside).rejects.toMatchObject(refused(Code.PermissionDenied, 'not a member'))
  })

  test('that does not exist, or of a missing message: not_found', async () => {
    const roomId = await room()
    const { id: eventId } = await say(ann(), roomId, 'x')
    const other = await say(ann(), roomId, 'y')
    const [attachmentId = ''] = await attach(fleet, roomId, other.id, [{}])
    const none = refused(Code.NotFound, 'attachment not found')
    await expect(ann().messages.deleteAttachment({ roomId, eventId, attachmentId })).rejects.toMatchObject(none)
    await ann().messages.deleteMessage({ roomId, eventId: other.id })
    for (const id of [other.id, 'Enothing']) {
      const removing = ann().messages.deleteAttachment({ roomId, eventId: id, attachmentId })
      await expect(removing).rejects.toMatchObject(gone)
    }
  })

  test('can be removed in an archived room, at any time', async () => {
    const channel = await fleet.room().channel(['ann'])
    const { roomId } = channel
    const { id: eventId } = await say(ann(), roomId, 'x')
    const [attachmentId = ''] = await attach(fleet, roomId, eventId, [{}])
    await preview(fleet, roomId, eventId, { url })
    await channel.archive()
    await ann().messages.deleteAttachment({ roomId, eventId, attachmentId })
    await ann().messages.deleteLinkPreview({ roomId, eventId, url })
    const message = await read(ann(), roomId, eventId)
    expect([message?.attachments, message?.linkPreview]).toEqual([[], undefined])
  })

  test('replaces a text: the text may be removed with it, but not without', async () => {
    const roomId = await room()
    const { id: eventId } = await say(ann(), roomId, 'x')
    const [attachmentId] = await attach(fleet, roomId, eventId, [{}])
    const { message } = await ann().messages.updateMessage({ roomId, eventId, body: '' })
    expect(message).toMatchObject({ attachments: [{ id: attachmentId }] })
    expect(message?.body).toBeUndefined()
  })
})

describe('a link preview', () => {
  test('is removed by its author, who names the url, and both rows are announced', async () => {
    const roomId = await room()
    const { reply, echoId } = await echoed(ann(), roomId)
    await preview(fleet, roomId, reply.id, { url, title: 'Title', imageKey: 'Kimage' })
    await using recorded = await recordRoom(fleet, roomId)
    const other = ann().messages.deleteLinkPreview({ roomId, eventId: reply.id, url: `${url}b` })
    await expect(other).rejects.toMatchObject(refused(Code.NotFound, 'link preview not found'))
    const foreign = mod().messages.deleteLinkPreview({ roomId, eventId: reply.id, url })
    await expect(foreign).rejects.toMatchObject(refused(Code.PermissionDenied, 'author'))
    const removing = () => ann().messages.deleteLinkPreview({ roomId, eventId: echoId, url })
    expect(await removing()).toMatchObject({ deleted: true })
    for (const eventId of [reply.id, echoId]) {
      const message = await read(ann(), roomId, eventId)
      expect([message?.body, message?.linkPreview]).toEqual(['reply', undefined])
    }
    await expect(removing()).rejects.toMatchObject(refused(Code.NotFound, 'link preview not found'))
    await eventually(() => recorded.events.length === 1)
    expect(recorded.events[0]?.fact).toMatchObject({
      value: { messageEventId: reply.id, removedLinkPreviewImageKey: 'Kimage', removedAssetIds: [] },
    })
    expect(published(recorded.events)[0]?.received).toMatchObject([
      { kind: 'messageEdited', messageEventId: reply.id },
      { kind: 'messageEdited', messageEventId: echoId },
    ])
  })

  test('does not replace a text: an edit cannot leave only the preview', async () => {
    const roomId = await room()
    const { id: eventId } = await say(ann(), roomId, url)
    await preview(fleet, roomId, eventId, { url })
    const emptying = ann().messages.updateMessage({ roomId, eventId, body: '' })
    await expect(emptying).rejects.toMatchObject(refused(Code.InvalidArgument, 'visible character'))
  })
})

test('the event of a retraction names the files and the image that are removed with the message', async () => {
  const roomId = await room()
  const { id: eventId } = await say(ann(), roomId, 'x')
  const ids = await attach(fleet, roomId, eventId, [{}, {}])
  await preview(fleet, roomId, eventId, { url, imageKey: 'Kimage' })
  await using recorded = await recordRoom(fleet, roomId)
  await ann().messages.deleteMessage({ roomId, eventId })
  await eventually(() => recorded.events.length === 1)
  expect(recorded.events[0]?.fact).toMatchObject({
    value: { messageEventId: eventId, removedAssetIds: ids, removedLinkPreviewImageKey: 'Kimage' },
  })
  expect(published(recorded.events)[0]?.received).toEqual([
    { to: roomId, kind: 'messageRetracted', roomId, messageEventId: eventId },
    ...ids.map((assetId) => ({ to: roomId, kind: 'assetDeleted', roomId, assetId })),
  ])
})
