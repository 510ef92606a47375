import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { ImageFitMode } from '@parley/contracts/api'
import sharp from 'sharp'
import { openEnv, publicUrl, type Env } from './_env.ts'
import { plainImage } from './_images.ts'
import { FileFixture, type ReadOptions } from './_file-fixture.ts'
import { sendFile, sha256 } from './_send-files.ts'

let env: Env
let files: FileFixture
const file = Buffer.from('a file of no great length')

beforeAll(async () => {
  env = await openEnv()
  files = new FileFixture(env)
  await files.start()
})
beforeEach(() => {
  files.clock += 10_000
  env.rooms.set('Rtea', ['Ualice', 'Ubob'])
})
afterAll(async () => env[Symbol.asyncDispose]())

const read = (assetId: string, options?: ReadOptions) => files.read(assetId, options)
const signedUrlOf = (assetId: string, options?: ReadOptions) => files.signedUrlOf(assetId, options)
const attach = (bytes: Uint8Array = file, contentType?: string) => files.attach(bytes, contentType)

describe('GET /assets/files/{id}', () => {
  test('returns the file to members, with headers that prevent caching', async () => {
    const id = await attach()
    for (const userId of ['Ualice', 'Ubob']) {
      const response = await read(id, { userId })
      expect(response.status).toBe(200)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        ...{ 'content-type': 'text/plain', 'content-length': '25', 'cache-control': 'private, no-store' },
        ...{ 'x-content-type-options': 'nosniff', 'accept-ranges': 'bytes', etag: `"${sha256(file)}"` },
        vary: 'Origin, Accept-Encoding, Authorization, Cookie',
      })
      expect(response.headers.get('content-disposition')).toMatch(/^inline; /)
      expect(Buffer.from(await response.arrayBuffer())).toEqual(file)
    }
    const head = await read(id, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '25', ''])
    const known = await read(id, { headers: { 'if-none-match': `"${sha256(file)}"` } })
    expect(known.status).toBe(304)
  })

  test('checks membership for every request, without caching', async () => {
    const id = await attach()
    env.rooms.set('Rtea', ['Ualice'])
    expect((await read(id, { userId: 'Ubob' })).status).toBe(403)
    env.rooms.set('Rtea', ['Ualice', 'Ubob'])
    expect((await read(id, { userId: 'Ubob' })).status).toBe(200)
    env.rooms.set('Rtea', ['Ualice'])
    expect((await read(id, { userId: 'Ubob' })).status).toBe(403)
    expect(env.rooms.requests.at(-1)).toMatchObject({ userId: 'Ubob', roomId: 'Rtea', useStoredRoles: true })
  })

  test('without a credential requires a URL that is signed for the asset and size and has not expired', async () => {
    const id = await attach()
    const other = await attach()
    const base = files.unsignedUrlOf(id)
    const access = new URL(signedUrlOf(other)).search
    expect((await fetch(base)).status).toBe(401)
    expect((await fetch(`${base}${access}`)).status).toBe(403)
    expect((await fetch(`${signedUrlOf(id)}0`)).status).toBe(403)
    const otherSize = signedUrlOf(id, { image: { width: 10, height: 10, fit: 'cover' } })
    expect((await fetch(`${base}${new URL(otherSize).search}`)).status).toBe(403)
    // Signs with an earlier time: with the clock advanced, the jobs would delete unfinished writes.
    const age = 24 * 3_600_000 - 2_000
    files.clock -= age
    const old = signedUrlOf(id)
    files.clock += age
    expect((await fetch(old)).status).toBe(200)
    files.clock += 3_000
    expect((await fetch(old)).status).toBe(403)
    expect((await read('Anone')).status).toBe(404)
    expect((await fetch(signedUrlOf(id), { method: 'POST' })).status).toBe(405)
  })

  test('returns a file to its sender alone while no message has claimed it', async () => {
    const { id } = await sendFile(env, file)
    expect((await read(id)).status).toBe(200)
    expect((await read(id, { userId: 'Ubob' })).status).toBe(404)
  })
})

describe('GET /assets/files/{id}/image/{W}x{H}/{fit}', () => {
  const image = { width: 40, height: 40, fit: 'contain' } as const

  test('returns a smaller, upright image', async () => {
    const rotated = await plainImage(80, 40).jpeg().withMetadata({ orientation: 6 }).toBuffer()
    const id = await attach(rotated, 'image/jpeg')
    const response = await read(id, { image })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(await sharp(Buffer.from(await response.arrayBuffer())).metadata()).toMatchObject({ width: 20, height: 40 })
    const etag = response.headers.get('etag') ?? ''
    expect((await read(id, { image, headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  test('requires a URL signed for the size, a valid size, an image, and membership', async () => {
    const id = await attach(await plainImage(80, 40).png().toBuffer(), 'image/png')
    const url = signedUrlOf(id, { image })
    expect((await fetch(url.replace('40x40', '41x40'))).status).toBe(403)
    expect((await fetch(url.replace('40x40', '40x9999'))).status).toBe(400)
    expect((await fetch(url.replace('contain', 'stretch'))).status).toBe(400)
    expect((await fetch(url.split('?')[0] ?? '')).status).toBe(403)
    expect((await read(await attach(), { image })).status).toBe(400)
    env.rooms.set('Rtea', [])
    files.clock += 5_001
    expect((await read(id, { image })).status).toBe(403)
  })
})

describe('GetAsset and BatchGetAssets', () => {
  test('return new signed URLs to members', async () => {
    const id = await attach(await plainImage(80, 40).png().toBuffer(), 'image/png')
    const { asset } = await env.as('Ubob').assets.getAsset({
      ...{ roomId: 'Rtea', assetId: id },
      thumbnail: { width: 50, height: 60, fit: ImageFitMode.CONTAIN },
    })
    expect(asset).toMatchObject({ id, width: 80, height: 40, contentType: 'image/png' })
    expect(asset?.thumbnailAssetUrl?.url).toContain('/image/50x60/contain?')
    const url = asset?.thumbnailAssetUrl?.url.replace(publicUrl, files.url) ?? ''
    expect((await fetch(url)).status).toBe(200)
  })

  test('do not find files of another room, and refuse non-members', async () => {
    const id = await attach()
    env.rooms.set('Rcake', ['Ualice'])
    const { assets } = env.as('Ualice')
    await expect(assets.getAsset({ roomId: 'Rcake', assetId: id })).rejects.toMatchObject({ code: Code.NotFound })
    await expect(assets.getAsset({ roomId: 'Rtea', assetId: 'Anone' })).rejects.toMatchObject({ code: Code.NotFound })
    for (const call of [
      env.as('Ustranger').assets.getAsset({ roomId: 'Rtea', assetId: id }),
      env.as('Ustranger').assets.batchGetAssets({ roomId: 'Rtea', assetIds: [id] }),
    ])
      await expect(call).rejects.toMatchObject({ code: Code.PermissionDenied })
    const unposted = (await sendFile(env, file)).id
    const other = await attach()
    const { assets: found } = await env
      .as('Ubob')
      .assets.batchGetAssets({ roomId: 'Rtea', assetIds: [other, 'Anone', id, other, unposted] })
    expect(found.map((asset) => asset.id)).toEqual([other, id])
  })
})
