import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { selfSignedCertificate, tlsServer } from '@parley/testkit'
import { FakeLivekit } from '@parley/testkit/livekit'
import { mediaServerCheck } from '../src/engines/livekit/index.ts'

let media: FakeLivekit
beforeAll(async () => {
  media = await FakeLivekit.start()
})
afterAll(async () => {
  await media[Symbol.asyncDispose]()
})

const check = (changes: Record<string, string> = {}) =>
  mediaServerCheck({
    env: {
      PARLEY_LIVEKIT_ENABLED: 'true',
      PARLEY_LIVEKIT_URL: media.url,
      PARLEY_LIVEKIT_API_KEY: media.apiKey,
      PARLEY_LIVEKIT_API_SECRET: media.apiSecret,
      ...changes,
    },
  })

test('a working or disabled media server passes; a wrong secret and an unavailable server are reported', async () => {
  expect(await check()).toEqual([expect.objectContaining({ check: 'livekit.server', result: 'ok' })])
  expect(await check({ PARLEY_LIVEKIT_ENABLED: 'false' })).toMatchObject([{ result: 'ok', found: 'calls are off' }])
  const wrong = await check({ PARLEY_LIVEKIT_API_SECRET: 'a wrong secret of thirty-two characters' })
  expect(wrong).toMatchObject([{ result: 'fail', next: expect.stringContaining('PARLEY_LIVEKIT_API_SECRET') }])
  expect(JSON.stringify(wrong)).not.toContain('a wrong secret')
  expect(await check({ PARLEY_LIVEKIT_URL: 'ws://127.0.0.1:1' })).toMatchObject([
    { result: 'fail', next: expect.stringContaining('Start LiveKit') },
  ])
})

test('a certificate of an unknown authority is reported', async () => {
  const dayMs = 86_400_000
  const until = new Date(Date.now() + 90 * dayMs)
  await using tls = await tlsServer(selfSignedCertificate({ from: new Date(Date.now() - dayMs), until }))
  expect(await check({ PARLEY_LIVEKIT_URL: `wss://127.0.0.1:${tls.port}` })).toContainEqual({
    ...{ check: 'livekit.certificate', result: 'fail', found: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT') },
    next: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  })
})
