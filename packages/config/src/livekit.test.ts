import { expect, test } from '@jest/globals'
import { defineConfig } from './define.ts'
import { livekitAddressFields, livekitFields } from './livekit.ts'
import { problemsOf } from './_sources.ts'

const readLivekit = defineConfig(livekitFields())
const readAddress = defineConfig(livekitAddressFields())
const secret = 'a secret of the media server for tests'

const given = {
  PARLEY_LIVEKIT_ENABLED: 'true',
  PARLEY_LIVEKIT_URL: 'wss://media.example.org',
  PARLEY_LIVEKIT_API_KEY: 'key',
  PARLEY_LIVEKIT_API_SECRET: secret,
}

test('settings are read, and webhooks may have their own key pair', () => {
  expect(readLivekit({ env: given }).livekit).toEqual({
    url: 'wss://media.example.org',
    ...{ apiKey: 'key', apiSecret: secret, serverId: undefined, webhookKeys: [{ key: 'key', secret }] },
  })
  const pair = { PARLEY_LIVEKIT_WEBHOOK_API_KEY: 'hook', PARLEY_LIVEKIT_WEBHOOK_API_SECRET: `${secret} of webhooks` }
  expect(readLivekit({ env: { ...given, ...pair, PARLEY_LIVEKIT_SERVER_ID: 'one' } }).livekit).toMatchObject({
    serverId: 'one',
    webhookKeys: [
      { key: 'key', secret },
      { key: 'hook', secret: `${secret} of webhooks` },
    ],
  })
})

test('while calls are disabled there is no configuration, and clients get no address', () => {
  const off = { ...given, PARLEY_LIVEKIT_ENABLED: 'false' }
  expect(readLivekit({ env: off }).livekit).toBeUndefined()
  expect(readLivekit({ env: {} }).livekit).toBeUndefined()
  expect(readAddress({ env: off }).livekitUrl).toBeUndefined()
  expect(readAddress({ env: given }).livekitUrl).toBe('wss://media.example.org')
  expect(() => readAddress({ env: { PARLEY_LIVEKIT_ENABLED: 'true' } })).toThrow('PARLEY_LIVEKIT_URL: is missing')
})

test('all problems are reported at once', () => {
  const missing = ['PARLEY_LIVEKIT_URL', 'PARLEY_LIVEKIT_API_KEY', 'PARLEY_LIVEKIT_API_SECRET']
  expect(problemsOf(() => readLivekit({ env: { PARLEY_LIVEKIT_ENABLED: 'true' } }))).toEqual(
    missing.map((name) => expect.stringContaining(`${name}: is missing; livekit.enabled needs it`)),
  )
  const wrong = {
    PARLEY_LIVEKIT_URL: 'media.example.org',
    PARLEY_LIVEKIT_API_SECRET: 'short',
    PARLEY_LIVEKIT_SERVER_ID: 'two words',
    PARLEY_LIVEKIT_WEBHOOK_API_KEY: 'hook',
  }
  const problems = problemsOf(() => readLivekit({ env: wrong }))
  expect(problems).toHaveLength(4)
  expect(problems.join()).not.toContain('short')
})
