import { timestampDate } from '@bufbuild/protobuf/wkt'
import { expect, test } from '@jest/globals'
import { readAssetAccess, readServerImageParams } from '@parley/signed-urls'
import type { Message } from '@parley/contracts/api'
import { postWithEcho, read, say, findInTimeline } from './_conversation.ts'
import { useFleet, type Person } from './_fleet.ts'
import { attach, addPreview, removeText } from './_parts.ts'

const fleet = useFleet()

const people = ['ann', 'bob', 'p1', 'p2', 'p3', 'p4', 'p5']
const room = async () => (await fleet.room().channel(people)).roomId
const [ann, bob] = [() => fleet.as('ann'), () => fleet.as('bob')]
const react = async (userIds: string[], roomId: string, messageEventId: string, emoji: string) => {
  for (const userId of userIds) await fleet.as(userId).messages.addReaction({ roomId, messageEventId, emoji })
}
const page = {
  ...{ url: 'https://example.org/a', title: 'Title', description: 'What it says', siteName: 'Example' },
  ...{ embedType: 'youtube', embedId: 'abc', imageKey: 'Kimage' },
}

test('reactions are grouped by emoji', async () => {
  const roomId = await room()
  const { id } = await say(ann(), roomId, 'x')
  await react(['bob', 'p1', 'p2', 'p3', 'p4', 'p5'], roomId, id, 'tada')
  await react(['ann'], roomId, id, 'eyes')
  await react(['ann'], roomId, id, 'tada')
  const reactions = (mine: boolean) => [
    { emoji: 'tada', count: 7, hasReacted: true, previewUserIds: ['bob', 'p1', 'p2', 'p3', 'p4'] },
    { emoji: 'eyes', count: 1, hasReacted: mine, previewUserIds: ['ann'] },
  ]
  expect(await read(ann(), roomId, id)).toMatchObject({ reactions: reactions(true) })
  expect(await read(bob(), roomId, id)).toMatchObject({ reactions: reactions(false) })
  expect(await findInTimeline(bob(), roomId, id)).toMatchObject({ reactions: reactions(false) })
  await ann().messages.removeReaction({ roomId, messageEventId: id, emoji: 'eyes' })
  expect((await read(ann(), roomId, id))?.reactions.map(({ emoji }) => emoji)).toEqual(['tada'])
})

test('a page includes the users whom its reactions name', async () => {
  const roomId = await room()
  const { id } = await say(ann(), roomId, 'x')
  await react(['p1', 'p2', 'p3', 'p4', 'p5', 'bob'], roomId, id, 'tada')
  const { page } = await ann().rooms.getRoomEvents({ roomId, limit: 1 })
  expect(Object.keys(page?.includes?.users ?? {}).sort()).toEqual(['ann', 'p1', 'p2', 'p3', 'p4', 'p5'])
})

test('files are in order, with URLs for a day; images have a thumbnail', async () => {
  const roomId = await room()
  const { id } = await say(ann(), roomId, 'see')
  const image = { filename: 'photo.png', contentType: 'image/png', width: 640, height: 480 }
  const ids = await attach(fleet, roomId, id, [{ filename: 'notes.txt' }, image])
  const secrets = [fleet.environment.PARLEY_CORE_ASSETS_SIGNING_SECRET]
  for (const [person, userId] of [
    [ann(), 'ann'],
    [bob(), 'bob'],
  ] as const) {
    const message = await read(person, roomId, id)
    expect(message?.attachments).toMatchObject([
      { id: ids[0], filename: 'notes.txt', contentType: 'text/plain', width: 0, height: 0 },
      { id: ids[1], ...image },
    ])
    const [notes, photo] = message?.attachments ?? []
    expect(notes?.thumbnailAssetUrl).toBeUndefined()
    const decodeUrl = (url: string | undefined) =>
      readAssetAccess(secrets, new URL(url ?? 'no:').searchParams.get('access') ?? '', new Date())
    const expiresAt = photo?.assetUrl?.expiresAt && timestampDate(photo.assetUrl.expiresAt)
    expect(decodeUrl(notes?.assetUrl?.url)).toMatchObject({ assetId: ids[0], userId, image: undefined })
    expect(decodeUrl(photo?.assetUrl?.url)).toEqual({ assetId: ids[1], userId, expiresAt, image: undefined })
    expect(decodeUrl(photo?.thumbnailAssetUrl?.url)).toMatchObject({
      ...{ assetId: ids[1], userId, image: { width: 960, height: 400, fit: 'contain' } },
    })
    expect(photo?.assetUrl?.url).toMatch(
      new RegExp(`^${fleet.environment.PARLEY_WEBSERVER_URL}/assets/files/${ids[1]}\\?`),
    )
    expect((expiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(23 * 3_600_000)
  }
})

test('a message with only files has no text', async () => {
  const roomId = await room()
  const { id } = await say(ann(), roomId, 'x')
  await attach(fleet, roomId, id, [{}])
  await removeText(fleet, roomId, id)
  const message = await read(bob(), roomId, id)
  expect(message).toMatchObject({ attachments: [{ filename: 'notes.txt' }] })
  expect(message?.body).toBeUndefined()
})

test('a preview shows texts, with its image from this server', async () => {
  const roomId = await room()
  const { id } = await say(ann(), roomId, 'see https://example.org/a')
  await addPreview(fleet, roomId, id, page)
  const { imageKey, ...texts } = page
  const shownPreview = (await read(bob(), roomId, id))?.linkPreview
  expect(shownPreview).toMatchObject({ ...texts, imageAssetId: imageKey })
  const [key, segment] = new URL(shownPreview?.imageUrl ?? 'no:').pathname.replace('/assets/server/', '').split('/t/')
  const secrets = [fleet.environment.PARLEY_CORE_ASSETS_SIGNING_SECRET]
  expect(key).toBe(imageKey)
  expect(readServerImageParams(secrets, imageKey, segment ?? '')).toEqual({ width: 1200, height: 630, fit: 'contain' })
})

test('a preview leaves out missing values', async () => {
  const roomId = await room()
  const { id } = await say(ann(), roomId, 'x')
  await addPreview(fleet, roomId, id, { url: page.url, title: 'Title' })
  const { $typeName: _, ...preview } = (await read(bob(), roomId, id))?.linkPreview ?? { $typeName: undefined }
  expect(preview).toEqual({ url: page.url, title: 'Title' })
})

const content = ({ body, attachments, linkPreview, reactions }: Message) => ({
  ...{ body, linkPreview, reactions },
  attachments: attachments.map(({ id }) => id),
})

test('an echo shows the content of its reply', async () => {
  const roomId = await room()
  const { root, reply, echoId } = await postWithEcho(ann(), roomId)
  const ids = await attach(fleet, roomId, reply.id, [{}])
  await addPreview(fleet, roomId, reply.id, page)
  await react(['bob'], roomId, echoId, 'tada')
  const messages = [
    await read(bob(), roomId, reply.id),
    await read(bob(), roomId, echoId),
    await findInTimeline(bob(), roomId, echoId),
    await inThread(bob(), roomId, root.id, reply.id),
  ]
  for (const message of messages) {
    expect(message && content(message)).toMatchObject({
      ...{ body: 'reply', attachments: ids, linkPreview: { url: page.url } },
      reactions: [{ emoji: 'tada', count: 1, hasReacted: true }],
    })
  }
})

test('an echo answers the same message as its reply, and has no thread', async () => {
  const roomId = await room()
  const root = await say(ann(), roomId, 'root')
  const posted = await say(ann(), roomId, 'both', {
    ...{ threadRootEventId: root.id, inReplyTo: root.id, alsoSendToChannel: true },
  })
  const later = await say(ann(), roomId, 'later', { threadRootEventId: root.id, inReplyTo: posted.id })
  const { message } = await ann().messages.updateMessage({ roomId, eventId: later.id, alsoSendToChannel: true })
  for (const [echoId, inReplyTo] of [
    [posted.channelEchoEventId, root.id],
    [message?.channelEchoEventId ?? '', posted.id],
  ] as const) {
    for (const echo of [await read(ann(), roomId, echoId), await findInTimeline(ann(), roomId, echoId)])
      expect(echo).toMatchObject({
        inReplyTo,
        thread: { threadRootEventId: echoId, replyCount: 0, participantCount: 0, participantPreviewUserIds: [] },
      })
  }
  expect(await findInTimeline(ann(), roomId, root.id)).toMatchObject({
    thread: { threadRootEventId: root.id, replyCount: 2 },
  })
})

test('a placeholder has no content, and neither has its echo', async () => {
  const roomId = await room()
  const { root, reply, echoId } = await postWithEcho(ann(), roomId)
  await attach(fleet, roomId, reply.id, [{}])
  await addPreview(fleet, roomId, reply.id, page)
  await react(['p5'], roomId, reply.id, 'tada')
  await ann().messages.deleteMessage({ roomId, eventId: reply.id })
  for (const message of [
    await findInTimeline(bob(), roomId, echoId),
    await inThread(bob(), roomId, root.id, reply.id),
  ]) {
    expect(message).toMatchObject({ deletedAt: expect.anything() })
    expect(message && content(message)).toEqual({
      ...{ body: undefined, attachments: [], linkPreview: undefined, reactions: [] },
    })
  }
  const { page: shownPage } = await ann().rooms.getRoomEvents({ roomId, limit: 1 })
  expect(Object.keys(shownPage?.includes?.users ?? {})).not.toContain('p5')
  for (const table of ['message_attachments', 'reactions', 'reaction_tallies']) {
    expect((await fleet.pool.query(`select from ${table} where room_id = $1`, [roomId])).rows).toEqual([])
  }
})

async function inThread(person: Person, roomId: string, threadRootEventId: string, eventId: string) {
  const { page } = await person.threads.getThreadEvents({ roomId, threadRootEventId })
  const event = page?.events.find(({ id }) => id === eventId)?.event
  return event?.case === 'messagePosted' ? event.value.message : undefined
}
