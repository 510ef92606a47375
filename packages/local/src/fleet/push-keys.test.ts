import { expect, test } from '@jest/globals'
import { defineConfig, newVapidKeys, pushFields, pushOfferFields } from '@parley/config'
import { isPushConfigured, pushEnvironment } from './push-keys.ts'

test('only the sender of pushes receives the private key', () => {
  const { privateKey: key } = newVapidKeys()
  const sender = { PARLEY_WEBSERVER_URL: 'http://127.0.0.1:8080', ...pushEnvironment('notifications', key) }
  const { push } = defineConfig(pushFields())({ env: sender })
  expect(push).toMatchObject({ privateKey: key })
  const offer = pushEnvironment('admin', key)
  expect(JSON.stringify(offer)).not.toContain(key)
  expect(defineConfig(pushOfferFields())({ env: offer }).push).toEqual({ publicKey: push?.publicKey })
  expect(pushEnvironment('rooms', key)).toEqual({})
})

test('a single push setting means that the operator configures all of them', () => {
  expect(isPushConfigured({})).toBe(false)
  expect(isPushConfigured({ PARLEY_PUSH_ENABLED: 'false' })).toBe(true)
  expect(isPushConfigured({ PARLEY_PUSH_VAPID_SUBJECT: 'mailto:push@example.org' })).toBe(true)
})
