import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { erasures } from '@parley/events/schema'
import { openEnv, type Env } from './_env.ts'
import { claimRequest, sendFile } from './_send-files.ts'

let env: Env
const began = Date.now()
let clock = 0
let id = ''

beforeAll(async () => {
  env = await openEnv()
  env.rooms.set('Rtea', ['Ualice', 'Ubob'])
  env.rooms.set('Rcake', ['Ualice'])
  await env.start({}, { now: () => new Date(began + clock) })
})
beforeEach(async () => {
  clock = 0
  id = (await sendFile(env, Buffer.from('a file'))).id
})
afterAll(async () => env[Symbol.asyncDispose]())

const claim = (assetIds: string[], changes: Parameters<typeof claimRequest>[1] = {}) =>
  env.internal.claimAssets(claimRequest(assetIds, changes))
const expectRefused = (call: Promise<unknown>, assetId: string) =>
  expect(call).rejects.toMatchObject({
    code: Code.InvalidArgument,
    rawMessage: expect.stringContaining(`attachment_asset_ids: ${assetId} `),
  })

test('files are claimed in the requested order, and repeating a claim succeeds', async () => {
  const other = await sendFile(env, Buffer.from('another'), { filename: 'other.txt' })
  for (let time = 0; time < 2; time++) {
    const { assets } = await claim([other.id, id])
    expect(assets).toMatchObject([
      { assetId: other.id, filename: 'other.txt', contentType: 'text/plain', size: 7n, width: 0, height: 0 },
      { assetId: id, filename: 'notes.txt', size: 6n },
    ])
  }
})

test('a file of another message, room or sender, an unknown file and a duplicate are refused', async () => {
  await claim([id])
  await expectRefused(claim([id], { eventId: 'E2' }), id)
  const bobs = await sendFile(env, Buffer.from('bob'), { userId: 'Ubob' })
  await expectRefused(claim([bobs.id]), bobs.id)
  const cake = await sendFile(env, Buffer.from('cake'), { roomId: 'Rcake' })
  await expectRefused(claim([cake.id]), cake.id)
  await expectRefused(claim(['Anone']), 'Anone')
  const twice = (await sendFile(env, Buffer.from('twice'))).id
  await expectRefused(claim([twice, twice]), twice)
  await expect(claim([])).rejects.toMatchObject({ code: Code.InvalidArgument })
  await expect(claim(Array.from({ length: 11 }, (_, n) => `A${n}`))).rejects.toMatchObject({
    code: Code.InvalidArgument,
  })
})

test('a call claims all its files or none', async () => {
  await expectRefused(claim([id, 'Anone']), 'Anone')
  await expect(claim([id], { eventId: 'E2' })).resolves.toBeDefined()
})

test('only one of two concurrent messages gets the file', async () => {
  const both = await Promise.allSettled([claim([id], { eventId: 'E3' }), claim([id], { eventId: 'E4' })])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('the author of a failed post may use the file in another message a minute later, but not a day later', async () => {
  await claim([id])
  clock = 59_000
  await expectRefused(claim([id], { eventId: 'E2' }), id)
  clock = 61_000
  await expect(claim([id], { eventId: 'E2' })).resolves.toBeDefined()
  clock = 25 * 3_600_000
  await expect(claim([id], { eventId: 'E2' })).resolves.toBeDefined()
  await expectRefused(claim([id], { eventId: 'E3' }), id)
})

test('a deleted account cannot claim files', async () => {
  const bobs = await sendFile(env, Buffer.from('bob'), { userId: 'Ubob' })
  await env.db.insert(erasures).values({ userId: 'Ubob', pass: 1 })
  await expect(claim([bobs.id], { userId: 'Ubob' })).rejects.toMatchObject({ code: Code.NotFound })
})
