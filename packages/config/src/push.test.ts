import { expect, test } from '@jest/globals'
import {
  defineConfig,
  describe as describeConfig,
  newVapidKeys,
  publicKeyOf,
  pushFields,
  pushOfferFields,
  redact,
} from './index.ts'
import { problemsOf } from './_sources.ts'

const readConfig = defineConfig(pushFields())
const readOffer = defineConfig(pushOfferFields())

const { publicKey, privateKey } = newVapidKeys()
const validEnv = {
  PARLEY_PUSH_ENABLED: 'true',
  PARLEY_PUSH_VAPID_PUBLIC_KEY: publicKey,
  PARLEY_PUSH_VAPID_PRIVATE_KEY: privateKey,
  PARLEY_PUSH_VAPID_SUBJECT: 'mailto:push@example.org',
  PARLEY_WEBSERVER_URL: 'https://chat.example.org',
}

test('push is off until it is enabled, even if other settings are given', () => {
  expect(readConfig({ env: {} }).push).toBeUndefined()
  expect(readConfig({ env: { ...validEnv, PARLEY_PUSH_ENABLED: 'no' } }).push).toBeUndefined()
  expect(readOffer({ env: {} }).push).toBeUndefined()
})

test('the keys are read, and the private one is never shown', () => {
  const config = readConfig({ env: validEnv })
  expect(config.push).toEqual({
    ...{ publicKey, privateKey, subject: 'mailto:push@example.org' },
    publicUrl: 'https://chat.example.org',
  })
  expect(JSON.stringify(redact(config))).not.toContain(privateKey)
  expect(redact(config)).toMatchObject({ push: { publicKey, privateKey: '***' } })
  expect(readConfig({ env: { ...validEnv, PARLEY_PUSH_VAPID_SUBJECT: 'https://example.org' } }).push).toBeDefined()
})

test('a service that only offers push needs only the public key', () => {
  const { PARLEY_PUSH_VAPID_PRIVATE_KEY: _, ...env } = validEnv
  expect(readOffer({ env }).push).toEqual({ publicKey })
  expect(problemsOf(() => readOffer({ env: { PARLEY_PUSH_ENABLED: 'true' } }))).toEqual([
    'PARLEY_PUSH_VAPID_PUBLIC_KEY (push.vapid_public_key): is missing: push.enabled is set',
  ])
})

test('a generated private key has 43 characters even if its number begins with a zero, and belongs to its public key', () => {
  // The first byte of one number in 256 is zero.
  const lengths = Array.from({ length: 3000 }, () => newVapidKeys().privateKey.length)
  expect(new Set(lengths)).toEqual(new Set([43]))
  const pair = newVapidKeys()
  expect(publicKeyOf(pair.privateKey)).toBe(pair.publicKey)
})

test('all missing settings are reported at once', () => {
  expect(problemsOf(() => readConfig({ env: { PARLEY_PUSH_ENABLED: 'true' } }))).toEqual([
    'PARLEY_PUSH_VAPID_PUBLIC_KEY (push.vapid_public_key): is missing: push.enabled is set',
    'PARLEY_PUSH_VAPID_PRIVATE_KEY (push.vapid_private_key): is missing: push.enabled is set',
    'PARLEY_PUSH_VAPID_SUBJECT (push.vapid_subject): is missing: push.enabled is set',
    'PARLEY_WEBSERVER_URL (webserver.url): is missing: push.enabled is set',
  ])
})

test.each([
  ['PARLEY_PUSH_VAPID_PUBLIC_KEY', publicKey.slice(1)],
  ['PARLEY_PUSH_VAPID_PUBLIC_KEY', privateKey],
  ['PARLEY_PUSH_VAPID_PRIVATE_KEY', publicKey],
  ['PARLEY_PUSH_VAPID_PRIVATE_KEY', 'A'.repeat(43)],
  ['PARLEY_PUSH_VAPID_PRIVATE_KEY', newVapidKeys().privateKey],
  ['PARLEY_PUSH_VAPID_SUBJECT', 'push@example.org'],
  ['PARLEY_PUSH_VAPID_SUBJECT', 'http://example.org'],
  ['PARLEY_PUSH_ENABLED', 'perhaps'],
])('%s may not be %s', (name, value) => {
  const problems = problemsOf(() => readConfig({ env: { ...validEnv, [name]: value } }))
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(name)
  if (name.includes('PRIVATE')) expect(problems[0]).not.toContain(value)
})

test('each setting of push is documented', () => {
  expect(describeConfig(readConfig).map(({ env, toml }) => [env, toml])).toEqual([
    ['PARLEY_PUSH_ENABLED', 'push.enabled'],
    ['PARLEY_PUSH_VAPID_PUBLIC_KEY', 'push.vapid_public_key'],
    ['PARLEY_PUSH_VAPID_PRIVATE_KEY', 'push.vapid_private_key'],
    ['PARLEY_PUSH_VAPID_SUBJECT', 'push.vapid_subject'],
    ['PARLEY_WEBSERVER_URL', 'webserver.url'],
  ])
  expect(describeConfig(readOffer)).toHaveLength(2)
})
