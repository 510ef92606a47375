import { Code } from '@connectrpc/connect'
import { readAssetAccess } from '@parley/signed-urls'
import { ImageFitMode, type ListRoomAttachmentsResponse } from '@parley/contracts/api'
import { expect, test } from '@jest/globals'
import { useFleet } from './_fleet.ts'
import { attach } from './_parts.ts'

const fleet = useFleet()

const post = async (roomId: string, threadRootEventId = '') => {
  const { message } = await fleet.as('ann').messages.createMessage({ roomId, body: 'x', threadRootEventId })
  return { id: message?.id ?? '', createdAt: message?.createdAt }
}
const list = (roomId: string, page: object = {}, more: object = {}, userId = 'ann') =>
  fleet.as(userId).rooms.listRoomAttachments({ roomId, page, ...more })
const ids = ({ attachments }: ListRoomAttachmentsResponse) => attachments.map(({ attachment }) => attachment?.id)

test('files are ordered by message, newest first, then by position; files of replies are included', async () => {
  const { roomId } = await fleet.room().channel(['ann', 'bob'])
  const [root, other] = [await post(roomId), await post(roomId)]
  const reply = await post(roomId, root.id)
  const ofRoot = await attach(fleet, roomId, root.id, [{}, { filename: 'b.txt' }])
  const ofOther = await attach(fleet, roomId, other.id, [{}])
  const ofReply = await attach(fleet, roomId, reply.id, [{ contentType: 'image/png', width: 640, height: 480 }])
  const elsewhere = await fleet.room().channel(['ann'])
  await attach(fleet, elsewhere.roomId, (await post(elsewhere.roomId)).id, [{}])
  const answer = await list(roomId)
  expect(ids(answer)).toEqual([...ofReply, ...ofOther, ...ofRoot])
  expect(answer.page).toMatchObject({ totalCount: 4n, hasMore: false, nextCursor: '' })
  expect(answer.attachments).toMatchObject([
    {
      attachment: { contentType: 'image/png', width: 640, height: 480, size: 1000n },
      ...{ messageEventId: reply.id, threadRootEventId: root.id, createdAt: reply.createdAt },
    },
    { messageEventId: other.id, threadRootEventId: '', createdAt: other.createdAt },
    { messageEventId: root.id, attachment: { filename: 'notes.txt' } },
    { messageEventId: root.id, attachment: { filename: 'b.txt' } },
  ])
})

test('URLs are made for the caller; thumbnails have the requested size, or a default one', async () => {
  const { roomId } = await fleet.room().channel(['ann', 'bob'])
  const message = await post(roomId)
  const image = { contentType: 'image/png', width: 640, height: 480 }
  const [fileId, imageId] = await attach(fleet, roomId, message.id, [{}, image])
  const secrets = [fleet.environment.PARLEY_CORE_ASSETS_SIGNING_SECRET]
  const decodeUrl = (url: string | undefined) =>
    readAssetAccess(secrets, new URL(url ?? 'no:').searchParams.get('access') ?? '', new Date())
  const thumbnails = [
    [undefined, { width: 120, height: 120, fit: 'cover' }],
    [
      { width: 300, height: 200, fit: ImageFitMode.CONTAIN },
      { width: 300, height: 200, fit: 'contain' },
    ],
    [
      { width: 300, height: 200 },
      { width: 300, height: 200, fit: 'cover' },
    ],
  ] as const
  for (const [thumbnail, size] of thumbnails) {
    const { attachments } = await list(roomId, {}, thumbnail && { thumbnail }, 'bob')
    const [file, picture] = attachments.map(({ attachment }) => attachment)
    expect(decodeUrl(file?.assetUrl?.url)).toMatchObject({ assetId: fileId, userId: 'bob', image: undefined })
    expect(file?.thumbnailAssetUrl).toBeUndefined()
    expect(decodeUrl(picture?.assetUrl?.url)).toMatchObject({ assetId: imageId, userId: 'bob', image: undefined })
    expect(decodeUrl(picture?.thumbnailAssetUrl?.url)).toMatchObject({ assetId: imageId, userId: 'bob', image: size })
  }
  await expect(list(roomId, {}, { thumbnail: { width: 4097, height: 1 } })).rejects.toMatchObject({
    code: Code.InvalidArgument,
  })
})

test('pages lead through all files; 50 by default, at most 100', async () => {
  const { roomId } = await fleet.room().channel(['ann'])
  const all: string[] = []
  for (let n = 0; n < 12; n++) {
    const { id } = await post(roomId)
    all.unshift(
      ...(await attach(
        fleet,
        roomId,
        id,
        Array.from({ length: 9 }, () => ({})),
      )),
    )
  }
  for (const limit of [7, 50]) {
    const found: (string | undefined)[] = []
    let cursor = ''
    do {
      const answer = await list(roomId, { limit, cursor })
      found.push(...ids(answer))
      cursor = answer.page?.nextCursor ?? ''
      expect(answer.page).toMatchObject({ totalCount: 108n, hasMore: cursor !== '' })
    } while (cursor)
    expect(found).toEqual(all)
  }
  expect(ids(await list(roomId))).toEqual(all.slice(0, 50))
  expect(ids(await list(roomId, { limit: 500 }))).toEqual(all.slice(0, 100))
  expect(ids(await list(roomId, { limit: 5, offset: 104 }))).toEqual(all.slice(104))
  expect(await list(roomId, { offset: 108 })).toMatchObject({ attachments: [], page: { totalCount: 108n } })
  await expect(list(roomId, { cursor: 'x' })).rejects.toMatchObject({ code: Code.InvalidArgument })
})

test('files of retracted messages are not listed', async () => {
  const { roomId } = await fleet.room().channel(['ann'])
  const { id } = await post(roomId)
  await attach(fleet, roomId, id, [{}])
  await fleet.as('ann').messages.deleteMessage({ roomId, eventId: id })
  expect(await list(roomId)).toMatchObject({ attachments: [], page: { totalCount: 0n } })
})

test('only members can list files, and they still can after the room was archived', async () => {
  const room = await fleet.room().channel(['ann'])
  await attach(fleet, room.roomId, (await post(room.roomId)).id, [{}])
  await expect(list(room.roomId, {}, {}, 'eve')).rejects.toMatchObject({ code: Code.PermissionDenied })
  await expect(list('Rnothing')).rejects.toMatchObject({ code: Code.NotFound })
  await room.archive()
  expect((await list(room.roomId)).attachments).toHaveLength(1)
})
