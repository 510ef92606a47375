import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { serverImageUrl, type ServerImageSize } from '@parley/signed-urls'
import sharp from 'sharp'
import { openEnv, publicUrl, signingSecret, storeAvatar, type Env } from './_env.ts'
import { animatedImage, plainImage } from './_images.ts'
import { bytesOf, FileFixture } from './_file-fixture.ts'

let env: Env
let files: FileFixture
beforeAll(async () => {
  env = await openEnv()
  env.rooms.set('Rtea', ['Ualice'])
  files = new FileFixture(env)
  await files.start()
})
afterAll(async () => env[Symbol.asyncDispose]())

const image: ServerImageSize = { width: 40, height: 40, fit: 'contain' }
const resize = async (bytes: Buffer, size = image) => {
  const response = await files.read(await files.attach(bytes, 'image/png'), { image: size })
  const resized = await bytesOf(response)
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    resized,
    headers: response.headers,
  }
}
const rgba = (alpha: number) =>
  sharp({ create: { width: 80, height: 40, channels: 4, background: { r: 255, g: 0, b: 0, alpha } } })

describe('another size of an image', () => {
  test('is a JPEG, or a WebP if it has transparency', async () => {
    expect(await resize(await plainImage(80, 40).png().toBuffer())).toMatchObject({
      status: 200,
      contentType: 'image/jpeg',
    })
    const { contentType, resized } = await resize(await rgba(0.5).png().toBuffer())
    expect(contentType).toBe('image/webp')
    expect(await sharp(resized).metadata()).toMatchObject({ format: 'webp', hasAlpha: true, width: 40, height: 20 })
  })

  test.each<[string, () => Promise<Buffer>]>([
    ['an animated GIF', () => animatedImage(80, 40).gif().toBuffer()],
    ['an animated WebP', () => animatedImage(80, 40).webp().toBuffer()],
  ])('of %s is its first frame', async (_, make) => {
    const { resized } = await resize(await make())
    const { width, height, pages = 1 } = await sharp(resized).metadata()
    expect([width, height, pages]).toEqual([40, 20, 1])
    const { channels } = await sharp(resized).stats()
    expect(channels[0]?.mean).toBeCloseTo(10, -1)
  })

  test('has no metadata', async () => {
    const original = await plainImage(80, 40)
      .jpeg()
      .withExif({ IFD0: { Copyright: 'somebody', ImageDescription: 'at home' } })
      .toBuffer()
    const { resized } = await resize(original)
    const { exif, icc, xmp, iptc } = await sharp(resized).metadata()
    expect([exif, icc, xmp, iptc]).toEqual([undefined, undefined, undefined, undefined])
    expect(resized.includes('somebody')).toBe(false)
  })

  test.each<[string, () => Promise<Buffer>]>([
    ['CMYK', () => plainImage(80, 40).toColourspace('cmyk').jpeg().toBuffer()],
    ['16 bits', () => plainImage(80, 40).toColourspace('rgb16').png().toBuffer()],
    ['a profile', () => plainImage(80, 40).withIccProfile('p3').png().toBuffer()],
    ['grey tones', () => plainImage(80, 40).greyscale().png().toBuffer()],
    ['a palette', () => plainImage(80, 40).png({ palette: true }).toBuffer()],
    ['progressive encoding', () => plainImage(80, 40).jpeg({ progressive: true }).toBuffer()],
  ])('of an image with %s is in sRGB with 8 bits', async (name, make) => {
    const { resized } = await resize(await make())
    expect(await sharp(resized).metadata()).toMatchObject({ space: 'srgb', depth: 'uchar', width: 40, height: 20 })
    const { dominant } = await sharp(resized).stats()
    if (name !== 'grey tones') expect(dominant.r).toBeGreaterThan(dominant.g + 100)
  })

  test.each<[ServerImageSize, number, number]>([
    [{ width: 4096, height: 4096, fit: 'contain' }, 80, 40],
    [{ width: 20, height: 20, fit: 'cover' }, 20, 20],
    [{ width: 1, height: 1, fit: 'cover' }, 1, 1],
    [{ width: 4096, height: 1, fit: 'contain' }, 2, 1],
  ])('for %j has %ix%i pixels: the image is not enlarged', async (size, width, height) => {
    const { resized } = await resize(await plainImage(80, 40).png().toBuffer(), size)
    expect(await sharp(resized).metadata()).toMatchObject({ width, height })
  })

  test('supports range requests', async () => {
    const id = await files.attach(await plainImage(80, 40).png().toBuffer(), 'image/png')
    const whole = await bytesOf(await files.read(id, { image }))
    const part = await files.read(id, { image, headers: { range: 'bytes=10-19' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${whole.length}`])
    expect(await bytesOf(part)).toEqual(whole.subarray(10, 20))
  })

  test('can be requested many times concurrently', async () => {
    const id = await files.attach(await plainImage(800, 400).png().toBuffer(), 'image/png')
    const answers = await Promise.all(Array.from({ length: 100 }, () => files.read(id, { image })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const all = await Promise.all(answers.map(bytesOf))
    expect(all.every((one) => all[0]?.equals(one))).toBe(true)
  })
})

describe('an image whose stored bytes are', () => {
  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['truncated', (bytes) => Buffer.concat([bytes.subarray(0, 60), Buffer.alloc(bytes.length - 60)])],
    ['not an image', (bytes) => Buffer.alloc(bytes.length, '<svg/>')],
  ])('%s is refused in other sizes', async (_, damage) => {
    const id = await files.attach(await plainImage(80, 40).png().toBuffer(), 'image/png')
    const path = join(env.folder, 'objects/files', id)
    await writeFile(path, damage(await readFile(path)))
    const response = await files.read(id, { image })
    expect([response.status, await response.json()]).toEqual([400, { error: expect.stringContaining('damaged') }])
  })
})

test('of many concurrent requests for new sizes, some succeed, and the others are refused with Retry-After', async () => {
  const noise = await sharp(Buffer.from(Array.from({ length: 600 * 600 * 3 }, (_, i) => (i * 7919) % 251)), {
    raw: { width: 600, height: 600, channels: 3 },
  })
    .png()
    .toBuffer()
  const id = await files.attach(noise, 'image/png')
  const sizes = Array.from({ length: 150 }, (_, i) => ({ ...image, width: 100 + i, height: 300 }))
  const answers = await Promise.all(sizes.map((size) => files.read(id, { image: size })))
  const statuses = answers.map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200, 503]))
  expect(answers.find(({ status }) => status === 503)?.headers.get('retry-after')).toBe('1')
})

test('new sizes are limited per person and hour; cached ones are still served', async () => {
  const limited = new FileFixture(env)
  await limited.start({ PARLEY_UPLOADS_RENDERINGS_PER_HOUR: '2' })
  env.rooms.set('Rtea', ['Ualice', 'Ubob'])
  const assetId = await limited.attach(await plainImage(80, 40).png().toBuffer(), 'image/png')
  const statusOf = async (width: number, userId = 'Ualice') =>
    (await limited.read(assetId, { userId, image: { width, height: 40, fit: 'contain' } })).status
  expect([await statusOf(1), await statusOf(2), await statusOf(3), await statusOf(2)]).toEqual([200, 200, 429, 200])
  expect(await statusOf(3, 'Ubob')).toBe(200)
})

test('attachments and public images share a limit of new sizes per network and hour', async () => {
  const limited = new FileFixture(env)
  await limited.start({
    PARLEY_UPLOADS_RENDERINGS_PER_NETWORK: '2',
    PARLEY_WEBSERVER_TRUSTED_PROXIES: '127.0.0.0/8',
  })
  env.rooms.set('Rtea', ['Ualice', 'Ubob', 'Ucarol'])
  const bytes = await plainImage(80, 40).png().toBuffer()
  const assetId = await limited.attach(bytes, 'image/png')
  const key = await storeAvatar(env, limited.service, bytes)
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const attachment = async (userId: string, width: number, address: string) =>
    (await limited.read(assetId, { userId, image: { width, height: 40, fit: 'contain' }, ...from(address) })).status
  const avatar = async (width: number, address: string) => {
    const url = serverImageUrl({ publicUrl, signingSecret }, key, { width, height: 40, fit: 'contain' })
    return (await fetch(url.replace(publicUrl, limited.url), from(address))).status
  }
  expect(await attachment('Ualice', 1, '2001:db8::1')).toBe(200)
  expect(await avatar(1, '2001:db8::2')).toBe(200)
  expect([await attachment('Ubob', 2, '2001:db8::3'), await avatar(2, '2001:db8::4')]).toEqual([429, 429])
  expect([await attachment('Ucarol', 1, '2001:db8::5'), await avatar(1, '2001:db8::6')]).toEqual([200, 200])
  expect([await attachment('Ubob', 2, '198.51.100.1'), await avatar(2, '203.0.113.1')]).toEqual([200, 200])
})
