import { request as httpRequest } from 'node:http'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { serverImageUrl, type ServerImageSize } from '@parley/signed-urls'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Service } from '@parley/runtime'
import sharp from 'sharp'
import { openEnv, signingSecret, storeAvatar, type Env } from './_env.ts'
import { plainImage } from './_images.ts'

let env: Env
let service: Service
let key: string

beforeAll(async () => {
  env = await openEnv('disk', { outages: true })
  service = await env.start()
  key = await storeAvatar(env, service, await plainImage(200, 100).png().toBuffer())
})
afterAll(async () => env[Symbol.asyncDispose]())

const signedUrlOf = (size: ServerImageSize, of = key) =>
  serverImageUrl({ publicUrl: service.url ?? '', signingSecret }, of, size)
const small: ServerImageSize = { width: 50, height: 50, fit: 'cover' }
const urls: [string, () => string][] = [
  ['a public image', () => `${service.url}/assets/server/${key}`],
  ['another size of a public image', () => signedUrlOf(small)],
]

describe.each(urls)('%s', (_, url) => {
  test('may be cached forever by anybody, and cannot run scripts', async () => {
    const response = await fetch(url())
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
      'access-control-allow-origin': '*',
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
    expect((await sharp(bytes).metadata()).format).toBe('webp')
  })

  test('is not sent again to a client that already has it', async () => {
    const etag = (await fetch(url())).headers.get('etag') ?? ''
    const again = await fetch(url(), { headers: { 'if-none-match': `"other", W/${etag}` } })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    expect((await fetch(url(), { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  test('has the same headers for HEAD', async () => {
    const [head, get] = [await fetch(url(), { method: 'HEAD' }), await fetch(url())]
    expect(head.status).toBe(200)
    for (const name of ['content-length', 'etag', 'content-type', 'cache-control'])
      expect(head.headers.get(name)).toBe(get.headers.get(name))
    expect(await head.text()).toBe('')
  })

  test('accepts only GET and HEAD', async () => {
    const response = await fetch(url(), { method: 'DELETE' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

test.each([
  [{ width: 50, height: 50, fit: 'cover' }, 50, 50],
  [{ width: 50, height: 50, fit: 'contain' }, 50, 25],
  [{ width: 50, height: 50, fit: 'exact' }, 50, 50],
  [{ width: 4096, height: 4096, fit: 'contain' }, 200, 100],
] as const)('the size %j of an image has %ix%i pixels', async (size, width, height) => {
  const response = await fetch(signedUrlOf(size))
  expect(await sharp(Buffer.from(await response.arrayBuffer())).metadata()).toMatchObject({ width, height })
})

const raw = (path: string) =>
  new Promise<number>((resolve, reject) => {
    const { hostname, port } = new URL(service.url ?? '')
    httpRequest({ hostname, port, path }, (response) => resolve(response.resume().statusCode ?? 0))
      .on('error', reject)
      .end()
  })
const segment = () => signedUrlOf(small).split('/').at(-1) ?? ''

test.each([
  ['an unknown key', () => '/assets/server/Anone', 404],
  ['a size with the signature for another image', () => `/assets/server/Aother/t/${segment()}`, 403],
  ['a changed size', () => `/assets/server/${key}/t/${segment().replace(/^./, (c) => (c === 'e' ? 'f' : 'e'))}`, 403],
  ['a size without a signature', () => `/assets/server/${key}/t/50x50`, 400],
  ['a signed size of a missing image', () => new URL(signedUrlOf(small, 'Anone')).pathname, 404],
  ['a path that leaves the folder', () => '/assets/server/../blobs/A1', 404],
  ['an encoded path that leaves the folder', () => '/assets/server/..%2f..%2fsecret', 404],
  ['a key with a NUL', () => '/assets/server/A%00', 404],
  ['a file with a made-up signature', () => '/assets/files/A1?access=made-up', 403],
  ['another path below /assets', () => '/assets/A1', 404],
  ['the root path', () => '/', 404],
])('a request for %s is refused', async (_, path, status) => {
  expect(await raw(path())).toBe(status)
})

test('an image without bytes is not found', async () => {
  const lost = await storeAvatar(env, service, await plainImage(9, 9).png().toBuffer())
  await rm(join(env.folder, 'objects/server', lost))
  for (const path of [`/assets/server/${lost}`, new URL(signedUrlOf(small, lost)).pathname])
    expect(await raw(path)).toBe(404)
})

test('a request during a database outage gets 503; a later one succeeds', async () => {
  await env.database.stop()
  expect(await raw(`/assets/server/${key}`)).toBe(503)
  await env.database.start()
  expect(await raw(`/assets/server/${key}`)).toBe(200)
})
