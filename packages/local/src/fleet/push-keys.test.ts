import { expect, test } from '@jest/globals'
import { defineConfig, pushFields, pushOfferFields } from '@parley/config'
import { isPushGiven, newVapidKey, pushEnvironment } from './push-keys.ts'

test('a fleet pushes with a pair of its own, whose private key reaches the sender alone', () => {
  const key = newVapidKey()
  const sender = { PARLEY_WEBSERVER_URL: 'http://127.0.0.1:8080', ...pushEnvironment('notifications', key) }
  const { push } = defineConfig(pushFields())({ env: sender })
  expect(push).toMatchObject({ privateKey: key })
  const offer = pushEnvironment('admin', key)
  expect(JSON.stringify(offer)).not.toContain(key)
  expect(defineConfig(pushOfferFields())({ env: offer }).push).toEqual({ publicKey: push?.publicKey })
  expect(pushEnvironment('rooms', key)).toEqual({})
  expect(newVapidKey()).not.toBe(key)
})

test('whoever configures anything of push configures all of it', () => {
  expect(isPushGiven({})).toBe(false)
  expect(isPushGiven({ PARLEY_PUSH_ENABLED: 'false' })).toBe(true)
  expect(isPushGiven({ PARLEY_PUSH_VAPID_SUBJECT: 'mailto:push@example.org' })).toBe(true)
})
