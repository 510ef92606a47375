import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eq } from 'drizzle-orm'
import { assets } from '../src/store/schema.ts'
import { openEnv, type Env } from './_env.ts'
import { bytesOf, FileFixture } from './_file-fixture.ts'

let env: Env
let files: FileFixture
const file = randomBytes(300_000)

beforeAll(async () => {
  env = await openEnv('s3')
  env.rooms.set('Rtea', ['Ualice', 'Ubob'])
  files = new FileFixture(env)
  await files.start()
})
afterAll(async () => env[Symbol.asyncDispose]())

const request = (id: string, init: RequestInit = {}) => fetch(files.signedUrlOf(id), { redirect: 'manual', ...init })

test('audio, including ranges, is redirected to a URL of the storage that is valid for five minutes', async () => {
  const id = await files.attach(file, 'audio/ogg', { filename: 'song.ogg' })
  const response = await request(id)
  expect([response.status, response.headers.get('cache-control')]).toEqual([302, 'no-store'])
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  const location = new URL(response.headers.get('location') ?? '')
  expect(location.searchParams.get('X-Amz-Expires')).toBe('300')
  const followed = await files.read(id, { headers: { range: 'bytes=100-199' } })
  expect([followed.status, followed.redirected]).toEqual([206, true])
  expect(await bytesOf(followed)).toEqual(file.subarray(100, 200))
  expect(followed.headers.get('content-type')).toBe('audio/ogg')
  expect(followed.headers.get('content-disposition')).toContain('song.ogg')
})

test('small files other than media, files that could run scripts, and HEAD requests are not redirected', async () => {
  for (const contentType of ['text/plain', 'text/html', 'audio/x+xml']) {
    const response = await request(await files.attach(file, contentType))
    expect(response.status).toBe(200)
    expect(await bytesOf(response)).toEqual(file)
  }
  const id = await files.attach(file, 'audio/ogg')
  const head = await request(id, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '300000'])
  const etag = head.headers.get('etag') ?? ''
  expect((await request(id, { headers: { 'if-none-match': etag } })).status).toBe(304)
})

test('large files are redirected to the storage, except types that could run scripts and unknown types', async () => {
  const statusOf = async (contentType: string, size: number) => {
    const id = await files.attach(Buffer.from(contentType), contentType)
    await env.db.update(assets).set({ size }).where(eq(assets.id, id))
    return (await request(id)).status
  }
  const large = 32 * 1024 * 1024
  expect(await statusOf('application/pdf', large)).toBe(302)
  for (const [contentType, size] of [
    ['application/pdf', large - 1],
    ['text/html', large],
    ['application/zip', large],
  ] as const)
    expect(await statusOf(contentType, size)).toBe(404)
})

test('a reader without access is not redirected', async () => {
  const id = await files.attach(file, 'audio/ogg')
  env.rooms.set('Rtea', [])
  files.clock += 5_001
  const response = await request(id)
  expect([response.status, response.headers.has('location')]).toEqual([403, false])
  expect((await fetch(files.unsignedUrlOf(id), { redirect: 'manual' })).status).toBe(401)
})
