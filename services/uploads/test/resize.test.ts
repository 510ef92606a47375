import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { serverImageUrl, type ServerImageSize } from '@parley/signed-urls'
import sharp from 'sharp'
import { openEnv, publicUrl, signingSecret, storeAvatar, type Env } from './_env.ts'
import { animated, plain } from './_images.ts'
import { bytesOf, Readers } from './_reading.ts'

let env: Env
let readers: Readers
beforeAll(async () => {
  env = await openEnv()
  env.rooms.set('Rtea', ['Ualice'])
  readers = new Readers(env)
  await readers.start()
})
afterAll(async () => env[Symbol.asyncDispose]())

const image: ServerImageSize = { width: 40, height: 40, fit: 'contain' }
const small = async (bytes: Buffer, size = image) => {
  const response = await readers.read(await readers.attached(bytes, 'image/png'), { image: size })
  const made = await bytesOf(response)
  return { status: response.status, contentType: response.headers.get('content-type'), made, headers: response.headers }
}
const rgba = (alpha: number) =>
  sharp({ create: { width: 80, height: 40, channels: 4, background: { r: 255, g: 0, b: 0, alpha } } })

describe('another size of an image', () => {
  test('is JPEG, or WebP if it has transparency', async () => {
    expect(await small(await plain(80, 40).png().toBuffer())).toMatchObject({ status: 200, contentType: 'image/jpeg' })
    const { contentType, made } = await small(await rgba(0.5).png().toBuffer())
    expect(contentType).toBe('image/webp')
    expect(await sharp(made).metadata()).toMatchObject({ format: 'webp', hasAlpha: true, width: 40, height: 20 })
  })

  test.each<[string, () => Promise<Buffer>]>([
    ['an animated GIF', () => animated(80, 40).gif().toBuffer()],
    ['an animated WebP', () => animated(80, 40).webp().toBuffer()],
  ])('of %s is its first frame', async (_, make) => {
    const { made } = await small(await make())
    const { width, height, pages = 1 } = await sharp(made).metadata()
    expect([width, height, pages]).toEqual([40, 20, 1])
    const { channels } = await sharp(made).stats()
    expect(channels[0]?.mean).toBeCloseTo(10, -1)
  })

  test('contains only the pixels, no metadata', async () => {
    const original = await plain(80, 40)
      .jpeg()
      .withExif({ IFD0: { Copyright: 'somebody', ImageDescription: 'at home' } })
      .toBuffer()
    const { made } = await small(original)
    const { exif, icc, xmp, iptc } = await sharp(made).metadata()
    expect([exif, icc, xmp, iptc]).toEqual([undefined, undefined, undefined, undefined])
    expect(made.includes('somebody')).toBe(false)
  })

  test.each<[string, () => Promise<Buffer>]>([
    ['CMYK', () => plain(80, 40).toColourspace('cmyk').jpeg().toBuffer()],
    ['16 bits', () => plain(80, 40).toColourspace('rgb16').png().toBuffer()],
    ['a profile', () => plain(80, 40).withIccProfile('p3').png().toBuffer()],
    ['grey tones', () => plain(80, 40).greyscale().png().toBuffer()],
    ['a palette', () => plain(80, 40).png({ palette: true }).toBuffer()],
    ['lines out of order', () => plain(80, 40).jpeg({ progressive: true }).toBuffer()],
  ])('of an image with %s is in sRGB with 8 bits', async (name, make) => {
    const { made } = await small(await make())
    expect(await sharp(made).metadata()).toMatchObject({ space: 'srgb', depth: 'uchar', width: 40, height: 20 })
    const { dominant } = await sharp(made).stats()
    if (name !== 'grey tones') expect(dominant.r).toBeGreaterThan(dominant.g + 100)
  })

  test.each<[ServerImageSize, number, number]>([
    [{ width: 4096, height: 4096, fit: 'contain' }, 80, 40],
    [{ width: 20, height: 20, fit: 'cover' }, 20, 20],
    [{ width: 1, height: 1, fit: 'cover' }, 1, 1],
    [{ width: 4096, height: 1, fit: 'contain' }, 2, 1],
  ])('%j has %ix%i pixels, and is never enlarged', async (size, width, height) => {
    const { made } = await small(await plain(80, 40).png().toBuffer(), size)
    expect(await sharp(made).metadata()).toMatchObject({ width, height })
  })

  test('supports range requests', async () => {
    const id = await readers.attached(await plain(80, 40).png().toBuffer(), 'image/png')
    const whole = await bytesOf(await readers.read(id, { image }))
    const part = await readers.read(id, { image, headers: { range: 'bytes=10-19' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${whole.length}`])
    expect(await bytesOf(part)).toEqual(whole.subarray(10, 20))
  })

  test('is made once for concurrent requests', async () => {
    const id = await readers.attached(await plain(800, 400).png().toBuffer(), 'image/png')
    const answers = await Promise.all(Array.from({ length: 100 }, () => readers.read(id, { image })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const all = await Promise.all(answers.map(bytesOf))
    expect(all.every((one) => all[0]?.equals(one))).toBe(true)
  })
})

describe('an image that was changed in the storage', () => {
  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut off', (bytes) => Buffer.concat([bytes.subarray(0, 60), Buffer.alloc(bytes.length - 60)])],
    ['no image', (bytes) => Buffer.alloc(bytes.length, '<svg/>')],
  ])('and is now %s has no other sizes', async (_, damage) => {
    const id = await readers.attached(await plain(80, 40).png().toBuffer(), 'image/png')
    const path = join(env.folder, 'objects/files', id)
    await writeFile(path, damage(await readFile(path)))
    const response = await readers.read(id, { image })
    expect([response.status, await response.json()]).toEqual([400, { error: expect.stringContaining('damaged') }])
  })
})

test('images are decoded a few at a time, some more are queued, and further clients are told to retry', async () => {
  const noise = await sharp(Buffer.from(Array.from({ length: 600 * 600 * 3 }, (_, i) => (i * 7919) % 251)), {
    raw: { width: 600, height: 600, channels: 3 },
  })
    .png()
    .toBuffer()
  const id = await readers.attached(noise, 'image/png')
  const sizes = Array.from({ length: 150 }, (_, i) => ({ ...image, width: 100 + i, height: 300 }))
  const answers = await Promise.all(sizes.map((size) => readers.read(id, { image: size })))
  const statuses = answers.map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200, 503]))
  expect(answers.find(({ status }) => status === 503)?.headers.get('retry-after')).toBe('1')
})

test('new sizes are limited per person and hour; existing ones are still served', async () => {
  const few = new Readers(env)
  await few.start({ PARLEY_UPLOADS_RENDERINGS_PER_HOUR: '2' })
  env.rooms.set('Rtea', ['Ualice', 'Ubob'])
  const assetId = await few.attached(await plain(80, 40).png().toBuffer(), 'image/png')
  const statusOf = async (width: number, userId = 'Ualice') =>
    (await few.read(assetId, { userId, image: { width, height: 40, fit: 'contain' } })).status
  expect([await statusOf(1), await statusOf(2), await statusOf(3), await statusOf(2)]).toEqual([200, 200, 429, 200])
  expect(await statusOf(3, 'Ubob')).toBe(200)
})

test('new sizes are limited per network and hour, for members and for readers of public images', async () => {
  const few = new Readers(env)
  await few.start({
    PARLEY_UPLOADS_RENDERINGS_PER_NETWORK: '2',
    PARLEY_WEBSERVER_TRUSTED_PROXIES: '127.0.0.0/8',
  })
  env.rooms.set('Rtea', ['Ualice', 'Ubob', 'Ucarol'])
  const bytes = await plain(80, 40).png().toBuffer()
  const assetId = await few.attached(bytes, 'image/png')
  const key = await storeAvatar(env, few.service, bytes)
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const attachment = async (userId: string, width: number, address: string) =>
    (await few.read(assetId, { userId, image: { width, height: 40, fit: 'contain' }, ...from(address) })).status
  const avatar = async (width: number, address: string) => {
    const url = serverImageUrl({ publicUrl, signingSecret }, key, { width, height: 40, fit: 'contain' })
    return (await fetch(url.replace(publicUrl, few.url), from(address))).status
  }
  expect(await attachment('Ualice', 1, '2001:db8::1')).toBe(200)
  expect(await avatar(1, '2001:db8::2')).toBe(200)
  expect([await attachment('Ubob', 2, '2001:db8::3'), await avatar(2, '2001:db8::4')]).toEqual([429, 429])
  expect([await attachment('Ucarol', 1, '2001:db8::5'), await avatar(1, '2001:db8::6')]).toEqual([200, 200])
  expect([await attachment('Ubob', 2, '198.51.100.1'), await avatar(2, '203.0.113.1')]).toEqual([200, 200])
})
