import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import sharp from 'sharp'
import { openEnv, type Env } from './_env.ts'
import { animatedImage, plainImage } from './_images.ts'
import { sendFile } from './_send-files.ts'

let env: Env

beforeAll(async () => {
  env = await openEnv()
  env.rooms.set('Rtea', ['Ualice'])
  await env.start()
})
afterAll(async () => env[Symbol.asyncDispose]())

const send = (bytes: Uint8Array, contentType: string) => sendFile(env, bytes, { contentType, filename: 'picture' })

describe('an image', () => {
  test.each(['png', 'jpeg', 'webp', 'gif'] as const)('has its width and height: %s', async (format) => {
    const asset = await send(await plainImage(30, 20).toFormat(format).toBuffer(), `image/${format}`)
    expect(asset).toMatchObject({ width: 30, height: 20, contentType: `image/${format}` })
    expect(asset.thumbnailAssetUrl?.url).toContain(`/assets/files/${asset.id}/image/120x120/cover?access=`)
  })

  test('has the content type of its bytes and the size at which it is displayed', async () => {
    const rotated = await plainImage(30, 20).jpeg().withMetadata({ orientation: 6 }).toBuffer()
    expect(await send(rotated, 'image/png')).toMatchObject({ width: 20, height: 30, contentType: 'image/jpeg' })
  })

  test('may be animated, within limits', async () => {
    expect(await send(await animatedImage(12, 8).gif().toBuffer(), 'image/gif')).toMatchObject({ width: 12, height: 8 })
    const frames = 257
    const pixels = Buffer.alloc(frames * 3 * 2 * 2)
    for (let frame = 0; frame < frames; frame++) pixels.fill((frame % 2) * 255, frame * 12, (frame + 1) * 12)
    const raw = { width: 2, height: 2 * frames, channels: 3 as const, pageHeight: 2 }
    const long = await sharp(pixels, { raw }).gif({ loop: 0 }).toBuffer()
    await expect(send(long, 'image/gif')).rejects.toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: expect.stringMatching(/256 frames/),
    })
  })

  test.each([
    ['that is not an image', () => Buffer.from('no image'), 'image/png'],
    ['that is HTML', () => Buffer.from('<html></html>'), 'image/png'],
    ['that is truncated', async () => (await plainImage(400, 400).png().toBuffer()).subarray(0, 300), 'image/png'],
    ['with too many pixels on one side', () => plainImage(16_385, 1).png().toBuffer(), 'image/png'],
    [
      'with too many pixels in total',
      () => plainImage(6_400, 6_400).png({ compressionLevel: 9 }).toBuffer(),
      'image/png',
    ],
  ])('%s is refused, and no file is stored', async (_, make, contentType) => {
    const before = (await env.storedKeys()).filter((key) => key.startsWith('files/'))
    await expect(send(await make(), contentType)).rejects.toMatchObject({ code: Code.InvalidArgument })
    expect((await env.storedKeys()).filter((key) => key.startsWith('files/'))).toEqual(before)
  })
})

test('an image announced with a content type that is not decoded is an ordinary file', async () => {
  const asset = await send(await plainImage(30, 20).png().toBuffer(), 'application/octet-stream')
  expect(asset).toMatchObject({ width: 0, height: 0 })
  expect(asset.thumbnailAssetUrl).toBeUndefined()
  expect(await send(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml')).toMatchObject({
    width: 0,
  })
})
