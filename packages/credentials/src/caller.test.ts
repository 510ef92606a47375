import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { decodeCaller, encodeCaller, type Caller } from './caller.ts'
import { credentialDigest } from './credential-digest.ts'

const caller: Caller = {
  userId: 'U1',
  credentialId: 'S1',
  roleIds: ['admin', 'O1'],
  freshUntil: new Date('2031-05-01T10:00:00.123Z'),
  expiresAt: new Date('2031-08-01T10:00:00Z'),
  rolesVersion: 2n ** 53n + 1n,
}

test.each([
  caller,
  { ...caller, roleIds: [], freshUntil: undefined },
  { ...caller, rotateAfter: new Date('2031-07-01T10:00:00Z') },
])('a caller is decoded from the header as it was encoded', (sent) => {
  expect(decodeCaller(encodeCaller(sent))).toEqual(sent)
})

test.each(['', 'AAAA', '!!', Buffer.from('{"userId":"U1"}').toString('base64')])(
  '%p is not an encoded caller',
  (header) => {
    expect(() => decodeCaller(header)).toThrow(/unauthenticated/)
  },
)

test('a digest is an HMAC with the key over the purpose and the token', () => {
  const digest = credentialDigest('key', 'token')
  expect(digest).toHaveLength(32)
  expect(digest).toEqual(createHmac('sha256', 'key').update('credential\0token').digest())
  expect(credentialDigest('key2', 'token')).not.toEqual(digest)
  expect(credentialDigest('key', 'token2')).not.toEqual(digest)
})
