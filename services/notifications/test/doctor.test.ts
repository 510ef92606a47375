import { expect, test } from '@jest/globals'
import { newVapidKeys } from '@parley/config'
import { diagnose } from '@parley/doctor'
import { readConfig } from '../src/config.ts'
import { pushCheck } from '../src/engines/push/index.ts'

const { publicKey, privateKey } = newVapidKeys()
const env = {
  PARLEY_PUSH_ENABLED: 'true',
  PARLEY_PUSH_VAPID_PUBLIC_KEY: publicKey,
  PARLEY_PUSH_VAPID_PRIVATE_KEY: privateKey,
  PARLEY_PUSH_VAPID_SUBJECT: 'mailto:chat@example.org',
  PARLEY_WEBSERVER_URL: 'https://chat.example.org',
}
const check = (changes: Record<string, string>) => pushCheck({ env: { ...env, ...changes } })

test('valid push settings pass; push that is off or without TLS is reported', async () => {
  expect(await check({})).toMatchObject([{ check: 'push', result: 'ok' }])
  expect(await check({ PARLEY_PUSH_ENABLED: 'false' })).toMatchObject([
    { result: 'warn', next: expect.stringContaining('parley vapid generate') },
  ])
  expect(await check({ PARLEY_WEBSERVER_URL: 'http://chat.example.org' })).toMatchObject([
    { result: 'warn', next: expect.stringContaining('https') },
  ])
})

test('a private key that does not belong to the public key is reported', async () => {
  const other = newVapidKeys().privateKey
  const settings = { ...env, PARLEY_PUSH_VAPID_PRIVATE_KEY: other, PARLEY_NATS_URL: 'nats://127.0.0.1:1' }
  const findings = await diagnose({ deployable: 'notifications', readConfig, checks: [pushCheck] }, settings)
  expect(findings).toContainEqual({
    ...{ check: 'settings', result: 'fail' },
    found: expect.stringContaining('does not belong to PARLEY_PUSH_VAPID_PUBLIC_KEY'),
    next: expect.stringContaining('parley config notifications'),
  })
  expect(JSON.stringify(findings)).not.toContain(other)
})
