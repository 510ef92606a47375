import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import type { Event } from '@parley/contracts/internal'
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
import { attach, addPreview, removeText } from './_parts.ts'

const fleet = useFleet()

const room = async () => (await fleet.room().channel(['ann', 'bob', 'mod'])).roomId
const [ann, mod] = [() => fleet.as('ann'), () => fleet.as('mod', ['moderator'])]
const messageIdsOf = (events: readonly Event[]) =>
  events.map(({ fact: { case: kind, value } }) =>
    kind === 'messageEdited' || kind === 'messageRetracted' ? value.messageEventId : '',
  )
const url = 'https://example.org/a'

test('the subjects of edits and retractions tell whether a file or image is removed', async () => {
  const roomId = await room()
  const [text, withFile, withImage] = [
    await say(ann(), roomId, 'a text'),
    await say(ann(), roomId, 'with a file'),
    await say(ann(), roomId, 'with an image'),
  ]
  const [attachmentId = ''] = await attach(fleet, roomId, withFile.id, [{}])
  await addPreview(fleet, roomId, withImage.id, { url, imageKey: 'image/1' })
  const record = (subject: string) => recordRoomEvents(fleet, roomId, subject)
  await using edits = await record('message_edited')
  await using textEdits = await record('message_edited.text')
  await using retractions = await record('message_retracted')
  await using textRetractions = await record('message_retracted.text')
  for (const { id: eventId } of [text, withFile])
    await ann().messages.updateMessage({ roomId, eventId, body: 'another text' })
  await ann().messages.deleteAttachment({ roomId, eventId: withFile.id, attachmentId })
  for (const { id: eventId } of [text, withImage]) await ann().messages.deleteMessage({ roomId, eventId })
  await eventually(() =>
    expect([edits, textEdits, retractions, textRetractions].map(({ events }) => events.length)).toEqual([1, 2, 1, 1]),
  )
  expect([edits, textEdits, retractions, textRetractions].map(({ events }) => messageIdsOf(events))).toEqual([
    [withFile.id],
    [text.id, withFile.id],
    [withImage.id],
    [text.id],
  ])
})

describe('an attachment', () => {
  test('is removed by its author through reply or echo', async () => {
    const roomId = await room()
    const { reply, echoId } = await postWithEcho(ann(), roomId)
    const [first = '', second = '', third = ''] = await attach(fleet, roomId, reply.id, [{}, {}, {}])
    await using recorded = await recordRoomEvents(fleet, roomId)
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
    const deliveries = (assetId: string) => ({
      kind: 'message_edited',
      deliveries: [
        { to: roomId, kind: 'messageEdited', roomId, messageEventId: reply.id },
        { to: roomId, kind: 'messageEdited', roomId, messageEventId: echoId },
        { to: roomId, kind: 'assetDeleted', roomId, assetId },
      ],
    })
    expect(clientEventsOf(recorded.events)).toEqual([deliveries(second), deliveries(first)])
    expect(recorded.events.map(({ fact }) => fact.value)).toMatchObject([
      { messageEventId: reply.id, removedAssetIds: [second] },
      { messageEventId: reply.id, removedAssetIds: [first] },
    ])
  })

  test('retracts its message when it is removed and nothing else is left', async () => {
    const roomId = await room()
    const { root, reply, echoId } = await postWithEcho(ann(), roomId)
    const [first = '', last = ''] = await attach(fleet, roomId, reply.id, [{}, {}])
    await removeText(fleet, roomId, reply.id)
    const removing = (attachmentId: string) =>
      ann().messages.deleteAttachment({ roomId, eventId: reply.id, attachmentId })
    await removing(first)
    expect(await read(ann(), roomId, reply.id)).toMatchObject({ attachments: [{ id: last }] })
    await using recorded = await recordRoomEvents(fleet, roomId)
    const foreign = mod().messages.deleteAttachment({ roomId, eventId: reply.id, attachmentId: last })
    await expect(foreign).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'author'))
    expect(await removing(last)).toMatchObject({ deleted: true })
    expect(await findInTimeline(ann(), roomId, echoId)).toMatchObject({ attachments: [], deletedAt: expect.anything() })
    await expect(read(ann(), roomId, reply.id)).rejects.toMatchObject(messageNotFound)
    await eventually(() => recorded.events.length === 1)
    expect(clientEventsOf(recorded.events)).toEqual([
      {
        kind: 'message_retracted',
        deliveries: [
          {
            ...{ to: roomId, kind: 'messageRetracted', roomId },
            ...{ messageEventId: reply.id, threadRootEventId: root.id },
          },
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
    await expect(removing).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'author'))
    const outside = fleet.as('eve').messages.deleteAttachment({ roomId, eventId, attachmentId })
    await expect(outside).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'not a member'))
  })

  test('is not found if it or its message does not exist', async () => {
    const roomId = await room()
    const { id: eventId } = await say(ann(), roomId, 'x')
    const other = await say(ann(), roomId, 'y')
    const [attachmentId = ''] = await attach(fleet, roomId, other.id, [{}])
    const none = errorWith(Code.NotFound, 'attachment not found')
    await expect(ann().messages.deleteAttachment({ roomId, eventId, attachmentId })).rejects.toMatchObject(none)
    await ann().messages.deleteMessage({ roomId, eventId: other.id })
    for (const id of [other.id, 'Enothing']) {
      const removing = ann().messages.deleteAttachment({ roomId, eventId: id, attachmentId })
      await expect(removing).rejects.toMatchObject(messageNotFound)
    }
  })

  test('can be removed in an archived room, like a link preview', async () => {
    const channel = await fleet.room().channel(['ann'])
    const { roomId } = channel
    const { id: eventId } = await say(ann(), roomId, 'x')
    const [attachmentId = ''] = await attach(fleet, roomId, eventId, [{}])
    await addPreview(fleet, roomId, eventId, { url })
    await channel.archive()
    await ann().messages.deleteAttachment({ roomId, eventId, attachmentId })
    await ann().messages.deleteLinkPreview({ roomId, eventId, url })
    const message = await read(ann(), roomId, eventId)
    expect([message?.attachments, message?.linkPreview]).toEqual([[], undefined])
  })

  test('allows an edit that removes the text', async () => {
    const roomId = await room()
    const { id: eventId } = await say(ann(), roomId, 'x')
    const [attachmentId] = await attach(fleet, roomId, eventId, [{}])
    const { message } = await ann().messages.updateMessage({ roomId, eventId, body: '' })
    expect(message).toMatchObject({ attachments: [{ id: attachmentId }] })
    expect(message?.body).toBeUndefined()
  })
})

describe('a link preview', () => {
  test('is removed by its author through the URL', async () => {
    const roomId = await room()
    const { reply, echoId } = await postWithEcho(ann(), roomId)
    await addPreview(fleet, roomId, reply.id, { url, title: 'Title', imageKey: 'Kimage' })
    await using recorded = await recordRoomEvents(fleet, roomId)
    const other = ann().messages.deleteLinkPreview({ roomId, eventId: reply.id, url: `${url}b` })
    await expect(other).rejects.toMatchObject(errorWith(Code.NotFound, 'link preview not found'))
    const foreign = mod().messages.deleteLinkPreview({ roomId, eventId: reply.id, url })
    await expect(foreign).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'author'))
    const removing = () => ann().messages.deleteLinkPreview({ roomId, eventId: echoId, url })
    expect(await removing()).toMatchObject({ deleted: true })
    for (const eventId of [reply.id, echoId]) {
      const message = await read(ann(), roomId, eventId)
      expect([message?.body, message?.linkPreview]).toEqual(['reply', undefined])
    }
    await expect(removing()).rejects.toMatchObject(errorWith(Code.NotFound, 'link preview not found'))
    await eventually(() => recorded.events.length === 1)
    expect(recorded.events[0]?.fact).toMatchObject({
      value: { messageEventId: reply.id, removedLinkPreviewImageKey: 'Kimage', removedAssetIds: [] },
    })
    expect(clientEventsOf(recorded.events)[0]?.deliveries).toMatchObject([
      { kind: 'messageEdited', messageEventId: reply.id },
      { kind: 'messageEdited', messageEventId: echoId },
    ])
  })

  test('does not allow an edit that removes the text', async () => {
    const roomId = await room()
    const { id: eventId } = await say(ann(), roomId, url)
    await addPreview(fleet, roomId, eventId, { url })
    const emptying = ann().messages.updateMessage({ roomId, eventId, body: '' })
    await expect(emptying).rejects.toMatchObject(errorWith(Code.InvalidArgument, 'visible character'))
  })
})

test('the event of a retraction lists the files and the image', async () => {
  const roomId = await room()
  const { id: eventId } = await say(ann(), roomId, 'x')
  const ids = await attach(fleet, roomId, eventId, [{}, {}])
  await addPreview(fleet, roomId, eventId, { url, imageKey: 'Kimage' })
  await using recorded = await recordRoomEvents(fleet, roomId)
  await ann().messages.deleteMessage({ roomId, eventId })
  await eventually(() => recorded.events.length === 1)
  expect(recorded.events[0]?.fact).toMatchObject({
    value: { messageEventId: eventId, removedAssetIds: ids, removedLinkPreviewImageKey: 'Kimage' },
  })
  expect(clientEventsOf(recorded.events)[0]?.deliveries).toEqual([
    { to: roomId, kind: 'messageRetracted', roomId, messageEventId: eventId },
    ...ids.map((assetId) => ({ to: roomId, kind: 'assetDeleted', roomId, assetId })),
  ])
})
