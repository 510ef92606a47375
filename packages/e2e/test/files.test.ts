import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { AssetService, AssetUploadService, MessageService, RoomService, type Asset } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import sharp from 'sharp'
import { fleet } from '../src/fleet.ts'
import { codeOf } from '../src/http.ts'
import { newPerson, type Person, signIn, signInOwner } from '../src/people.ts'
import { newRoom } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'

let owner: Person
let ada: Person
let bob: Person
beforeAll(async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
})

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const gateway = (turn: number): { base: string } => ({ base: fleet().gateways[turn % 2 === 0 ? 0 : 1] })

async function send(person: Person, roomId: string, bytes: Uint8Array, contentType = 'image/png'): Promise<Asset> {
  const { createUpload, uploadChunk, completeUpload } = AssetUploadService.method
  const file = { roomId, filename: 'picture.png', contentType, size: BigInt(bytes.length), sha256: sha256(bytes) }
  const { upload } = await person.call(createUpload, file)
  const uploadId = upload?.uploadId ?? ''
  const chunkBytes = 100_000
  for (let at = 0, turn = 0; at < bytes.length; at += chunkBytes, turn++) {
    const content = bytes.subarray(at, at + chunkBytes)
    const chunk = { uploadId, offset: BigInt(at), content, chunkSha256: sha256(content) }
    await person.call(uploadChunk, chunk, gateway(turn))
  }
  const { asset } = await person.call(completeUpload, { uploadId }, gateway(1))
  if (!asset) throw new Error('no asset')
  return asset
}

const noise = async (): Promise<Buffer> =>
  sharp(randomBytes(400 * 200 * 3), { raw: { width: 400, height: 200, channels: 3 } })
    .png()
    .toBuffer()

const download = (url = '', turn = 0) => {
  const { pathname, search } = new URL(url)
  return fetch(`${gateway(turn).base}${pathname}${search}`)
}

async function postWith(person: Person, roomId: string, asset: Asset) {
  const { message } = await person.call(MessageService.method.createMessage, { roomId, attachmentAssetIds: [asset.id] })
  return message?.id ?? ''
}

const attachmentFor = async (person: Person, roomId: string, eventId: string) => {
  const { message } = await person.call(MessageService.method.getMessage, { roomId, eventId })
  return message?.attachments[0]
}

describe('a file', () => {
  test('uploaded through both gateways is readable by members and by nobody else', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    const bytes = await noise()
    const asset = await send(ada, roomId, bytes)
    expect(asset).toMatchObject({ filename: 'picture.png', width: 400, height: 200, size: BigInt(bytes.length) })
    const eventId = await postWith(ada, roomId, asset)
    const shown = await attachmentFor(bob, roomId, eventId)
    for (const turn of [0, 1]) {
      const response = await download(shown?.assetUrl?.url, turn)
      expect(response.status).toBe(200)
      expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes)
    }
    const small = await download(shown?.thumbnailAssetUrl?.url)
    expect(await sharp(await small.arrayBuffer()).metadata()).toMatchObject({ format: 'jpeg', width: 400, height: 200 })

    const stranger = await newPerson('stranger')
    const requesting = { roomId, assetId: asset.id }
    expect(codeOf(await stranger.attempt(AssetService.method.getAsset, requesting))).toBe('permission_denied')
    expect((await download(shown?.assetUrl?.url.replace(/\?.*/, ''))).status).toBe(401)
    // A signed URL is refused once its user has left the room.
    const carol = await newPerson('carol')
    await carol.call(RoomService.method.joinRoom, { roomId })
    const carols = await attachmentFor(carol, roomId, eventId)
    await carol.call(RoomService.method.leaveRoom, { roomId })
    expect((await download(carols?.assetUrl?.url)).status).toBe(403)
  })

  test('can be downloaded in parts, with a signed URL or a token, until the user leaves the room', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    const bytes = await noise()
    const shown = await attachmentFor(bob, roomId, await postWith(ada, roomId, await send(ada, roomId, bytes)))
    const { pathname, search } = new URL(shown?.assetUrl?.url ?? '')
    const statusOf = async (headers: Record<string, string>, path = pathname) =>
      (await fetch(`${fleet().gateways[0]}${path}`, { headers })).status
    const bearer = { authorization: `Bearer ${bob.token}` }
    for (const [path, headers] of [
      [`${pathname}${search}`, {}],
      [pathname, bearer],
    ] as const) {
      const part = await fetch(`${fleet().gateways[1]}${path}`, { headers: { ...headers, range: 'bytes=100-199' } })
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${bytes.length}`])
      expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(100, 200))
    }
    expect(await statusOf({ authorization: 'Bearer made-up' })).toBe(401)
    await bob.call(RoomService.method.leaveRoom, { roomId })
    // A leave takes effect on the next request.
    expect([await statusOf(bearer), await statusOf({}, `${pathname}${search}`)]).toEqual([403, 403])
    const another = { authorization: `Bearer ${(await signIn(bob)).token}` }
    expect(await statusOf(another)).toBe(403)
    await fetch(`${fleet().gateways[0]}/auth/logout`, { method: 'POST', headers: another })
    expect(await statusOf(another)).toBe(401)
  })

  test('can be uploaded as JSON, in chunks of at most 512 KiB', async () => {
    const roomId = await newRoom(owner, [ada])
    const content = randomBytes(524_288)
    const { createUpload, uploadChunk } = AssetUploadService.method
    const file = { roomId, filename: 'large', contentType: '', size: 600_000n, sha256: sha256(content) }
    const { upload } = await ada.call(createUpload, file)
    expect(upload?.maxChunkSize).toBe(content.length)
    const chunk = { uploadId: upload?.uploadId ?? '', offset: 0n, content, chunkSha256: sha256(content) }
    const { upload: after } = await ada.call(uploadChunk, chunk)
    expect(after?.committedOffset).toBe(524_288n)
    const larger = { ...chunk, offset: 524_288n, content: Buffer.alloc(524_289) }
    expect(codeOf(await ada.attempt(uploadChunk, larger))).toBe('invalid_argument')
    const tooLarge = { ...larger, content: Buffer.alloc(600_000) }
    expect(codeOf(await ada.attempt(uploadChunk, tooLarge))).toBe('resource_exhausted')
  })

  test('of a universal room can be downloaded by a user who never joined it', async () => {
    const roomId = await newRoom(owner, [], { universal: true })
    const eventId = await postWith(ada, roomId, await send(ada, roomId, await noise()))
    expect((await download((await attachmentFor(bob, roomId, eventId))?.assetUrl?.url)).status).toBe(200)
  })

  test('can only be attached by its uploader, and only to one message', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    const asset = await send(ada, roomId, await noise())
    const twice = { roomId, attachmentAssetIds: [asset.id] }
    expect(codeOf(await bob.attempt(MessageService.method.createMessage, twice))).toBe('invalid_argument')
    await postWith(ada, roomId, asset)
    expect(codeOf(await ada.attempt(MessageService.method.createMessage, twice))).toBe('invalid_argument')
  })

  test('is deleted with its message, and a member of the room is notified', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    const asset = await send(ada, roomId, await noise())
    const eventId = await postWith(ada, roomId, asset)
    const url = (await attachmentFor(bob, roomId, eventId))?.assetUrl?.url
    using socket = await Socket.subscribe(fleet().realtimeNodes[0], bob.token)
    await ada.call(MessageService.method.deleteMessage, { roomId, eventId })
    await socket.waitFor(({ event }) => event.case === 'assetDeleted' && event.value.assetId === asset.id)
    await eventually(async () => expect((await download(url)).status).toBe(404))
  })
})

test('a page inside the network has no link preview', async () => {
  const answer = await ada.call(MessageService.method.fetchLinkPreview, { url: `${fleet().gateways[0]}/login` })
  expect(answer).toMatchObject({ previewToken: '' })
  expect(answer.preview).toBeUndefined()
})
