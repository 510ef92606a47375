import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ServerImageKind } from '@parley/contracts/internal'
import type { Service } from '@parley/runtime'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { blobs, erasures, serverImages } from '../src/store/schema.ts'
import { openEnv, putBlob, storeAvatar, type Env } from './_env.ts'
import { animatedImage, plainImage } from './_images.ts'

let env: Env
let service: Service

beforeAll(async () => {
  env = await openEnv()
  service = await env.start()
})
afterAll(async () => env[Symbol.asyncDispose]())

const readImage = async (key: string) => {
  const response = await fetch(`${service.url}/assets/server/${key}`)
  return Buffer.from(await response.arrayBuffer())
}
const metadataOf = async (key: string) => sharp(await readImage(key)).metadata()

describe('an image', () => {
  test.each([
    [ServerImageKind.AVATAR, 1000, 500, 256, 128],
    [ServerImageKind.LOGO, 1000, 500, 512, 256],
    [ServerImageKind.BANNER, 2400, 630, 1200, 315],
    [ServerImageKind.AVATAR, 40, 30, 40, 30],
  ])('of kind %i with %ix%i pixels is stored with %ix%i, and is never enlarged', async (kind, width, height, w, h) => {
    const blobId = await putBlob(service, await plainImage(width, height).png().toBuffer())
    const { key } = await env.internal.storeServerImage({ blobId, kind, ownerId: 'Ualice', callerId: 'Ualice' })
    expect(await metadataOf(key)).toMatchObject({ format: 'webp', width: w, height: h })
  })

  test('keeps every pixel, because the WebP is lossless', async () => {
    const pixels = Buffer.from(Array.from({ length: 64 * 64 * 3 }, (_, n) => (n * 7919) % 256))
    const noise = sharp(pixels, { raw: { width: 64, height: 64, channels: 3 } })
    const key = await storeAvatar(env, service, await noise.png().toBuffer())
    expect(
      await sharp(await readImage(key))
        .raw()
        .toBuffer(),
    ).toEqual(pixels)
  })

  test.each(['jpeg', 'png', 'gif', 'webp'] as const)('may be %s', async (format) => {
    const key = await storeAvatar(env, service, await plainImage(20, 20).toFormat(format).toBuffer())
    expect(await metadataOf(key)).toMatchObject({ format: 'webp', width: 20 })
  })

  test('is rotated upright and loses its metadata', async () => {
    const exif = { IFD0: { Copyright: 'somebody' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } }
    const photo = plainImage(40, 20).withExif(exif).withMetadata({ orientation: 6 }).jpeg()
    const bytes = await photo.toBuffer()
    expect(bytes.toString('latin1')).toContain('somebody')
    const key = await storeAvatar(env, service, bytes)
    const { width, height, exif: keptExif, icc, xmp, orientation } = await metadataOf(key)
    expect({ width, height, keptExif, icc, xmp, orientation }).toEqual({ width: 20, height: 40 })
  })

  test('leaves no blob behind once it is stored', async () => {
    await storeAvatar(env, service, await plainImage(10, 10).png().toBuffer())
    expect(await env.db.select().from(blobs)).toEqual([])
    expect((await env.storedKeys()).filter((key) => key.startsWith('blobs/'))).toEqual([])
  })
})

describe('a request is refused with', () => {
  const jpeg = () => plainImage(300, 300, { r: 1, g: 200, b: 90 }).jpeg().toBuffer()
  /** A PNG with one pixel, whose header declares this size. */
  const pngOf = async (width: number, height: number) => {
    const bytes = await plainImage(1, 1).png().toBuffer()
    bytes.writeUInt32BE(width, 16)
    bytes.writeUInt32BE(height, 20)
    return bytes
  }

  test.each([
    ['SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), /SVG/],
    ['HTML', () => Buffer.from('<!doctype html><img src=x onerror=alert(1)>'), /HTML/],
    ['PDF', () => Buffer.from('%PDF-1.7'), /unsupported image/],
    ['AVIF', () => plainImage(20, 20).avif().toBuffer(), /unsupported image/],
    ['an empty blob', () => Buffer.alloc(0), /empty/],
    ['an animated GIF', () => animatedImage(20, 20).gif().toBuffer(), /animated/],
    ['an animated WebP', () => animatedImage(20, 20).webp().toBuffer(), /animated/],
    ['a side that is too long', () => plainImage(16_385, 1).png().toBuffer(), /16385x1 pixels/],
    ['too many pixels', () => plainImage(6_400, 6_400).png().toBuffer(), /6400x6400 pixels/],
    ['a decompression bomb', () => pngOf(60_000, 60_000), /60000x60000 pixels/],
    ['half an image', async () => (await jpeg()).subarray(0, -100), /damaged/],
    ['a header alone', () => Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), /damaged/],
    ['a header whose size does not match the pixels', () => pngOf(300, 300), /damaged/],
  ])('%s', async (_, make, message) => {
    const before = await env.storedKeys()
    const call = storeAvatar(env, service, await make())
    await expect(call).rejects.toMatchObject({ code: Code.InvalidArgument, rawMessage: expect.stringMatching(message) })
    expect(await env.storedKeys()).toEqual(before)
    expect(await env.db.select().from(blobs)).toEqual([])
  })

  test.each([
    ['an invalid kind', { kind: ServerImageKind.UNSPECIFIED }, Code.InvalidArgument],
    ['the blob of another caller', { callerId: 'Umallory' }, Code.NotFound],
    ['a missing blob', { blobId: 'Anone' }, Code.NotFound],
  ])('%s', async (_, changes, code) => {
    const blobId = await putBlob(service, await jpeg())
    const request = { blobId, kind: ServerImageKind.AVATAR, ownerId: 'Ualice', callerId: 'Ualice', ...changes }
    await expect(env.internal.storeServerImage(request)).rejects.toMatchObject({ code })
  })

  test('a blob that was already used, also by a concurrent request', async () => {
    const blobId = await putBlob(service, await jpeg())
    const request = { blobId, kind: ServerImageKind.AVATAR, ownerId: 'Utwice', callerId: 'Ualice' }
    const calls = await Promise.allSettled([1, 2].map(() => env.internal.storeServerImage(request)))
    expect(calls.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(env.internal.storeServerImage(request)).rejects.toMatchObject({ code: Code.NotFound })
    const rows = await env.db.select().from(serverImages)
    expect(rows.filter(({ ownerId }) => ownerId === 'Utwice')).toHaveLength(1)
  })

  test('an image of a deleted account', async () => {
    await env.db.insert(erasures).values({ userId: 'Ugone', pass: 1 })
    const blobId = await putBlob(service, await jpeg())
    const call = env.internal.storeServerImage({
      blobId,
      kind: ServerImageKind.AVATAR,
      ownerId: 'Ugone',
      callerId: 'Ualice',
    })
    await expect(call).rejects.toMatchObject({ code: Code.NotFound })
  })
})

test('many concurrent images are all stored', async () => {
  const bytes = await buffer(plainImage(800, 800).png())
  const keys = await Promise.all(Array.from({ length: 12 }, () => storeAvatar(env, service, bytes)))
  expect(new Set(keys).size).toBe(12)
})
