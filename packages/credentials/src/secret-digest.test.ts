import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { credentialDigest, credentialDigests } from './credential-digest.ts'
import { secretDigest, secretDigests } from './secret-digest.ts'

const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest()

test('a digest is computed with the current key', () => {
  expect(secretDigest({ secretKey: 'new' }, 'flow', 'link', 'x')).toEqual(hmac('new', 'flow\0link\0x'))
})

test('a secret is looked up under the current key, then under the previous one', () => {
  expect(secretDigests({ secretKey: 'new' }, 'flow', 'x')).toEqual([hmac('new', 'flow\0x')])
  expect(secretDigests({ secretKey: 'new', previousSecretKey: 'old' }, 'flow', 'x')).toEqual([
    hmac('new', 'flow\0x'),
    hmac('old', 'flow\0x'),
  ])
})

test('digests of different purposes, secrets or keys differ', () => {
  const keys = { secretKey: 'new', previousSecretKey: 'old' }
  const all = [
    secretDigests(keys, 'flow', 'x'),
    secretDigests(keys, 'code', 'x'),
    secretDigests(keys, 'flow', 'y'),
  ].flat()
  expect(new Set(all.map((digest) => digest.toString('hex'))).size).toBe(6)
})

test('the digests of a credential have the purpose "credential"', () => {
  expect(credentialDigest('new', 'token')).toEqual(hmac('new', 'credential\0token'))
  expect(credentialDigests({ secretKey: 'new' }, 'token')).toEqual({
    digest: hmac('new', 'credential\0token'),
    previous: undefined,
  })
  expect(credentialDigests({ secretKey: 'new', previousSecretKey: 'old' }, 'token').previous).toEqual(
    hmac('old', 'credential\0token'),
  )
})
