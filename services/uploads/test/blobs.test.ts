import { signBlobTicket } from '@parley/signed-urls'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Service } from '@parley/runtime'
import { eventually } from '@parley/testkit'
import { blobs } from '../src/store/schema.ts'
import { blobSecret, openEnv, postBlob, ticketFor, type Env } from './_env.ts'

let env: Env
let service: Service
const bytes = Buffer.from('some bytes')

beforeAll(async () => {
  env = await openEnv()
  service = await env.start({ PARLEY_CORE_ASSETS_MAX_UPLOAD_SIZE: '1000 B' })
})
afterAll(async () => env[Symbol.asyncDispose]())

test('a body with a valid ticket is stored under an id; a repeated request gets the same id', async () => {
  const ticket = signBlobTicket(blobSecret, ticketFor(bytes))
  const answers = []
  for (const _ of [1, 2]) {
    const response = await postBlob(service, bytes, ticket)
    expect(response.status).toBe(201)
    answers.push(await response.json())
  }
  expect(answers[1]).toEqual(answers[0])
  expect(await env.db.select().from(blobs)).toMatchObject([{ ...(answers[0] as object), callerId: 'Ualice', size: 10 }])
  expect(await env.storedKeys()).toHaveLength(1)
})

test.each([
  ['without a ticket', 401, bytes, () => ''],
  ['with a ticket signed with another key', 401, bytes, () => signBlobTicket('another key', ticketFor(bytes))],
  [
    'with an expired ticket',
    401,
    bytes,
    () => signBlobTicket(blobSecret, ticketFor(bytes, { signedAt: Date.now() - 120_000 })),
  ],
  ['that differs from its ticket', 400, Buffer.from('other bytes'), () => signBlobTicket(blobSecret, ticketFor(bytes))],
  [
    'that is longer than its ticket allows',
    400,
    Buffer.concat([bytes, bytes]),
    () => signBlobTicket(blobSecret, ticketFor(bytes)),
  ],
  ['that is shorter than its ticket says', 400, bytes.subarray(1), () => signBlobTicket(blobSecret, ticketFor(bytes))],
  ['above the size limit', 413, Buffer.alloc(1001), () => signBlobTicket(blobSecret, ticketFor(Buffer.alloc(1001)))],
])('a body %s is refused and not stored', async (_, status, body, ticket) => {
  const before = await env.storedKeys()
  expect((await postBlob(service, body, ticket())).status).toBe(status)
  expect(await env.storedKeys()).toEqual(before)
})

test('after a rotation, tickets signed with the previous key are still accepted', async () => {
  const [key, previous] = ['a new key of gateway and uploads, for tests', blobSecret]
  const rotated = await env.start({
    PARLEY_UPLOADS_BLOB_SECRET: key,
    PARLEY_UPLOADS_BLOB_SECRET_PREVIOUS: previous,
  })
  for (const secret of [key, previous]) {
    const response = await postBlob(rotated, bytes, signBlobTicket(secret, ticketFor(bytes)))
    expect(response.status).toBe(201)
  }
})

test('the body of a client that disconnects half-way is not stored', async () => {
  const before = await env.storedKeys()
  const aborting = new AbortController()
  const half = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.subarray(0, 5))
      setImmediate(() => aborting.abort())
    },
  })
  const headers = { 'parley-blob-ticket': signBlobTicket(blobSecret, ticketFor(bytes)) }
  const options = { method: 'POST', body: half, duplex: 'half', headers, signal: aborting.signal } as RequestInit
  await expect(fetch(`${service.url}/internal/blobs`, options)).rejects.toThrow()
  await eventually(async () => expect(await env.storedKeys()).toEqual(before))
})

test('methods other than POST are refused', async () => {
  expect((await fetch(`${service.url}/internal/blobs`)).status).toBe(405)
})

test('a blob that no call uses is deleted after an hour', async () => {
  const from = Date.now()
  let now = from
  await env.start({}, { sweepEveryMs: 20, now: () => new Date(now) })
  const response = await postBlob(service, bytes, signBlobTicket(blobSecret, ticketFor(bytes)))
  const { id } = (await response.json()) as { id: string }
  now = from + 3_500_000
  await eventually(async () => (await env.storedKeys()).includes(`blobs/${id}`))
  now = from + 3_700_000
  await eventually(async () => (await env.storedKeys()).length === 0)
  expect(await env.db.select().from(blobs)).toEqual([])
})
