import { randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { create, toBinary, toJsonString } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient, type Interceptor, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { AdminServerService } from '@parley/contracts/admin'
import { MyAccountService, UploadAvatarRequestSchema } from '@parley/contracts/api'
import { RetryInfoSchema } from '@parley/contracts/rpc'
import { eventually } from '@parley/testkit'
import { useImageFleet } from './_image-fleet.ts'

const limit = 3 * 1024 * 1024
const fleet = useImageFleet()
let url: string
let token: string

beforeAll(async () => {
  url = (await fleet.start({ PARLEY_CORE_ASSETS_MAX_UPLOAD_SIZE: String(limit) })).url
})
beforeEach(() => {
  fleet.requested.length = 0
  fleet.blobs.length = 0
  token = fleet.tokenOf('Ualice')
})

type Open = (url: string, token: string | undefined) => Transport
const withToken = (given: string | undefined): Interceptor[] => [
  (next) => (request) => {
    if (given !== undefined) request.header.set('authorization', `Bearer ${given}`)
    return next(request)
  },
]
const protocols: [string, Open][] = [
  [
    'Connect with JSON',
    (at, given) =>
      createConnectTransport({
        baseUrl: `${at}/api/connect`,
        httpVersion: '1.1',
        useBinaryFormat: false,
        interceptors: withToken(given),
      }),
  ],
  [
    'Connect with protobuf',
    (at, given) =>
      createConnectTransport({
        baseUrl: `${at}/api/connect`,
        httpVersion: '1.1',
        useBinaryFormat: true,
        interceptors: withToken(given),
      }),
  ],
  ['gRPC', (at, given) => createGrpcTransport({ baseUrl: at, interceptors: withToken(given) })],
  [
    'gRPC-Web',
    (at, given) =>
      createGrpcWebTransport({ baseUrl: `${at}/api/connect`, httpVersion: '1.1', interceptors: withToken(given) }),
  ],
]
const errorOf = async (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => ConnectError.from(error),
  )

describe.each(protocols)('the gateway over %s', (_, open) => {
  test('stores an image in uploads and forwards the rest', async () => {
    // Larger than the maximum payload of the bus.
    const image = randomBytes(2 * 1024 * 1024)
    await createClient(MyAccountService, open(url, token)).uploadAvatar({
      image: { image, filename: 'me.png', contentType: 'image/png' },
    })
    expect(fleet.blobs).toHaveLength(1)
    expect(fleet.blobs[0]?.bytes.equals(image)).toBe(true)
    expect(fleet.blobs[0]?.ticket).toMatchObject({
      callerId: 'Ualice',
      method: 'svc.api.v1.MyAccountService/UploadAvatar',
      size: image.length,
    })
    expect(fleet.requested).toMatchObject([
      {
        ...{ method: 'UploadAvatar', userId: 'Ualice', blob: 'B1' },
        image: { image: new Uint8Array(), filename: 'me.png', contentType: 'image/png' },
      },
    ])
  })

  test('also stores logo and banner in uploads', async () => {
    const admin = createClient(AdminServerService, open(url, token))
    await admin.uploadServerLogo({ image: { image: new Uint8Array([1]) } })
    await admin.uploadServerBanner({ image: { image: new Uint8Array([2]) } })
    expect(fleet.blobs.map(({ bytes }) => [...bytes])).toEqual([[1], [2]])
    expect(fleet.requested.map(({ method, blob }) => [method, blob])).toEqual([
      ['UploadServerLogo', 'B1'],
      ['UploadServerBanner', 'B2'],
    ])
  })

  test('stores nothing for an image without bytes', async () => {
    await createClient(MyAccountService, open(url, token)).uploadAvatar({ image: { filename: 'me.png' } })
    expect([fleet.blobs, fleet.requested[0]?.blob]).toEqual([[], undefined])
  })

  test('refuses a large image, and a call without a valid credential', async () => {
    const call = (given: string | undefined, bytes: number) =>
      errorOf(createClient(MyAccountService, open(url, given)).uploadAvatar({ image: { image: Buffer.alloc(bytes) } }))
    expect((await call(token, limit + 100 * 1024))?.code).toBe(Code.ResourceExhausted)
    expect((await call(undefined, 1000))?.code).toBe(Code.Unauthenticated)
    expect((await call('wrong', 2 * 1024 * 1024))?.code).toBe(Code.Unauthenticated)
    expect([fleet.blobs, fleet.requested]).toEqual([[], []])
  })

  test('admits four images at a time and tells further callers when to retry', async () => {
    const accountOf = (userId: string) => createClient(MyAccountService, open(url, fleet.tokenOf(userId)))
    const account = accountOf('Ualice')
    const release = fleet.hold()
    const passing = ['Ualice', 'Ubert', 'Ualice', 'Ubert'].map((userId) =>
      accountOf(userId).uploadAvatar({ image: { image: new Uint8Array([1]) } }),
    )
    await eventually(() => fleet.blobs.length === 4)
    const refusal = await errorOf(account.uploadAvatar({ image: { image: Buffer.alloc(2_000_000) } }))
    expect(refusal?.code).toBe(Code.ResourceExhausted)
    expect(refusal?.findDetails(RetryInfoSchema)).toMatchObject([{ retryDelay: { seconds: 1n } }])
    expect(refusal?.metadata.get('retry-after')).toBe('1')
    release()
    await Promise.all(passing)
    // A response may arrive a moment before its slot is released.
    const next = () => errorOf(account.uploadAvatar({ image: { image: new Uint8Array([1]) } }))
    await eventually(async () => (await next()) === undefined)
    expect(fleet.requested).toHaveLength(5)
  })
})

test('an image in protobuf may reach the limit, in JSON it must be smaller', async () => {
  const post = async (body: Uint8Array | string, contentType: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': contentType }
    const path = '/api/connect/svc.api.v1.MyAccountService/UploadAvatar'
    return (await fetch(`${url}${path}`, { method: 'POST', body, headers })).status
  }
  const request = (bytes: number) => create(UploadAvatarRequestSchema, { image: { image: Buffer.alloc(bytes) } })
  expect(await post(toBinary(UploadAvatarRequestSchema, request(limit)), 'application/proto')).toBe(200)
  expect(await post(toBinary(UploadAvatarRequestSchema, request(limit + 1)), 'application/proto')).toBe(429)
  expect(await post(toJsonString(UploadAvatarRequestSchema, request(limit / 2)), 'application/json')).toBe(200)
  expect(await post(toJsonString(UploadAvatarRequestSchema, request(limit)), 'application/json')).toBe(429)
})

test('a client that disconnects releases its slot for images', async () => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/proto', 'content-length': 1000 }
  const begun = Array.from({ length: 2 }, () => {
    const path = `${url}/api/connect/svc.api.v1.MyAccountService/UploadAvatar`
    const request = httpRequest(path, { method: 'POST', headers, agent: false }).on('error', () => undefined)
    request.write('half')
    return request
  })
  const account = createClient(MyAccountService, createGrpcTransport({ baseUrl: url, interceptors: withToken(token) }))
  const upload = () => errorOf(account.uploadAvatar({ image: { image: new Uint8Array([1]) } }))
  await eventually(async () => (await upload())?.code === Code.ResourceExhausted)
  begun.forEach((request) => request.destroy())
  await eventually(async () => (await upload()) === undefined)
})

test('without uploads, a call with an image fails with unavailable', async () => {
  const { url: alone } = await fleet.start({ PARLEY_GATEWAY_UPLOADS_URLS: 'http://127.0.0.1:1' })
  const transport = createGrpcTransport({ baseUrl: alone, interceptors: withToken(token) })
  const call = createClient(MyAccountService, transport).uploadAvatar({ image: { image: new Uint8Array([1]) } })
  expect((await errorOf(call))?.code).toBe(Code.Unavailable)
})
