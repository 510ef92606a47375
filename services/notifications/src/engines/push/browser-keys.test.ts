import { createECDH, ECDH, randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { toAuth, toP256dh } from './browser-keys.ts'

const point = createECDH('prime256v1').generateKeys()
const changed = (at: number, to: number) => Buffer.from(point.map((byte, i) => (i === at ? to : byte)))

test('a key is accepted with and without padding', () => {
  const text = point.toString('base64url')
  expect(toP256dh(text)).toBe(text)
  expect(toP256dh(`${text}=`)).toBe(text)
})

test.each([
  ['too short', point.subarray(1)],
  ['compressed', Buffer.from(ECDH.convertKey(point, 'prime256v1', undefined, undefined, 'compressed'))],
  ['in an unknown form', changed(0, 6)],
  ['not on the curve', changed(64, (point[64] ?? 0) ^ 1)],
  ['empty', Buffer.alloc(0)],
])('a key that is %s is rejected', (_, bytes) => expect(toP256dh(bytes.toString('base64url'))).toBeUndefined())

test('keys and secrets that are not base64url are rejected', () => {
  expect(toP256dh(`${point.toString('base64url')}*`)).toBeUndefined()
  expect(toAuth(`${randomBytes(16).toString('base64url')}*`)).toBeUndefined()
})

test('a secret that is not 16 bytes long is rejected', () => {
  const secret = randomBytes(16)
  expect(toAuth(secret.toString('base64url'))).toBe(secret.toString('base64url'))
  for (const length of [0, 15, 17]) expect(toAuth(randomBytes(length).toString('base64url'))).toBeUndefined()
})
