import { randomUUID } from 'node:crypto'
import { Code } from '@connectrpc/connect'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Service } from '@parley/runtime'
import { retryWhileOverloaded } from '@parley/testkit'
import { assets, uploads } from '../src/store/schema.ts'
import { openEnv, type Env } from './_env.ts'
import { uploadRequest, claimRequest, sendFile } from './_send-files.ts'

let env: Env
let service: Service
let clock = 0
const file = Buffer.alloc(1_000)
const people = ['Ualice', 'Ubob']

beforeAll(async () => {
  env = await openEnv()
  env.rooms.set('Rtea', people)
})
beforeEach(() => {
  clock = 0
})
afterEach(async () => {
  await service[Symbol.asyncDispose]()
  await env.db.delete(uploads)
  await env.db.delete(assets)
})
afterAll(async () => env[Symbol.asyncDispose]())

const start = async (settings: Record<string, string> = {}) => {
  service = await env.start(
    { PARLEY_CORE_ASSETS_MAX_UPLOAD_SIZE: '2000', ...settings },
    { now: () => new Date(Date.now() + clock) },
  )
}
const open = (size = 1_000, userId = 'Ualice') => {
  const headers = { 'idempotency-key': randomUUID() }
  return retryWhileOverloaded(() =>
    env.as(userId).uploads.createUpload({ ...uploadRequest(file), size: BigInt(size) }, { headers }),
  )
}
const expectExhausted = (call: Promise<unknown>, message: RegExp) =>
  expect(call).rejects.toMatchObject({ code: Code.ResourceExhausted, rawMessage: expect.stringMatching(message) })

describe('the limit of open upload sessions', () => {
  test('is twenty per person, also for concurrent requests', async () => {
    await start()
    const requested = await Promise.allSettled(Array.from({ length: 26 }, () => open(1)))
    expect(requested.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
    await expectExhausted(open(1), /too many open uploads \(20\)/)
    await expect(open(1, 'Ubob')).resolves.toBeDefined()
    const first = requested.find((one) => one.status === 'fulfilled')?.value
    await env.as('Ualice').uploads.cancelUpload({ uploadId: first?.upload?.uploadId ?? '' })
    await expect(open(1)).resolves.toBeDefined()
    await expectExhausted(open(1), /too many open uploads \(20\)/)
    clock = 15 * 60_000
    await expect(open(1)).resolves.toBeDefined()
  })

  test('does not use up the idempotency key of a refused request', async () => {
    await start()
    const opened = await Promise.all(Array.from({ length: 20 }, () => open(1)))
    const key = { headers: { 'idempotency-key': 'K1' } }
    const again = () => env.as('Ualice').uploads.createUpload(uploadRequest(file), key)
    await expectExhausted(again(), /too many open uploads \(20\)/)
    await env.as('Ualice').uploads.cancelUpload({ uploadId: opened[0]?.upload?.uploadId ?? '' })
    await expect(again()).resolves.toBeDefined()
  })
})

describe('the limit of pending bytes', () => {
  test('covers open uploads and unused files together', async () => {
    await start({ PARLEY_UPLOADS_USER_PENDING: '3500' })
    const { id } = await sendFile(env, file)
    await open(2_000)
    await expectExhausted(open(1_000), /3500 bytes/)
    await expect(open(500)).resolves.toBeDefined()
    await expectExhausted(open(1), /3500 bytes/)
    await expect(open(2_000, 'Ubob')).resolves.toBeDefined()
    await env.internal.claimAssets(claimRequest([id]))
    await env.db.update(assets).set({ posted: true })
    await expect(open(1_000)).resolves.toBeDefined()
  })

  test('always allows one file of the maximum size', async () => {
    await start({ PARLEY_UPLOADS_USER_PENDING: '10' })
    await expect(open(2_000)).resolves.toBeDefined()
    await expectExhausted(open(1), /2000 bytes/)
  })
})

describe('the limits of stored bytes', () => {
  test('cover all files and open uploads of a person, except deleted files', async () => {
    await start({ PARLEY_UPLOADS_USER_QUOTA: '2500' })
    await sendFile(env, file)
    await env.db.update(assets).set({ posted: true })
    await expectExhausted(open(1_501), /2500 bytes/)
    await open(1_000)
    await expectExhausted(open(501), /2500 bytes/)
    await expect(open(1_501, 'Ubob')).resolves.toBeDefined()
    await env.db.update(assets).set({ doomed: true })
    await expect(open(1_500)).resolves.toBeDefined()
  })

  test('are checked without holding a database connection', async () => {
    await start({ PARLEY_UPLOADS_SERVER_QUOTA: '2500', PARLEY_DATABASE_POOL: '1' })
    await expect(open(1)).resolves.toBeDefined()
  })

  test('cover the whole server, with a total cached for half a minute', async () => {
    await start({ PARLEY_UPLOADS_SERVER_QUOTA: '2500' })
    await sendFile(env, file)
    clock = 31_000
    await expectExhausted(open(1_501, 'Ubob'), /storage full/)
    await expect(open(1_500, 'Ubob')).resolves.toBeDefined()
    clock = 62_000
    await expectExhausted(open(1), /storage full/)
  })
})
