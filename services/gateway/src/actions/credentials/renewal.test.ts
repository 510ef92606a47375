import { expect, jest, test } from '@jest/globals'
import type { SignedIn } from '@parley/credentials'
import { SessionRenewal } from './renewal.ts'

const signedIn = (by: 'bearer' | 'cookie', rotateAfter: Date | undefined): SignedIn => ({
  ...{ by, digest: Buffer.from('a digest'), encoded: '' },
  caller: {
    ...{ userId: 'U1', credentialId: 'S1', roleIds: [], rolesVersion: 0n },
    ...{ freshUntil: undefined, expiresAt: new Date(9e12), rotateAfter },
  },
})

const openRenewal = () => {
  let now = 1_000
  const rotate = jest.fn((_digest: Buffer) => Promise.resolve({ cookieHandle: 'next', lifetimeSeconds: 60 }))
  const renewal = new SessionRenewal({ rotate, now: () => now })
  return { renewal, rotate, pass: (ms: number) => (now += ms) }
}

test('a session cookie is due for renewal from `rotateAfter` on, a bearer token never', () => {
  const { renewal, pass } = openRenewal()
  const due = new Date(2_000)
  expect(renewal.isDue(signedIn('cookie', due))).toBe(false)
  pass(1_000)
  expect(renewal.isDue(signedIn('cookie', due))).toBe(true)
  expect(renewal.isDue(signedIn('bearer', due))).toBe(false)
  expect(renewal.isDue(signedIn('cookie', undefined))).toBe(false)
  expect(renewal.isDue(undefined)).toBe(false)
})

test('a renewed session is due again only after a minute', async () => {
  const { renewal, rotate, pass } = openRenewal()
  const session = signedIn('cookie', new Date(0))
  expect(await renewal.renew(session)).toEqual({ userId: 'U1', cookieHandle: 'next', lifetimeSeconds: 60 })
  expect(rotate).toHaveBeenCalledWith(session.digest)
  expect(renewal.isDue(session)).toBe(false)
  pass(60_001)
  expect(renewal.isDue(session)).toBe(true)
})

test('a renewal that fails or returns no handle is ignored', async () => {
  const { renewal, rotate } = openRenewal()
  rotate.mockRejectedValueOnce(new Error('unavailable'))
  expect(await renewal.renew(signedIn('cookie', new Date(0)))).toBeUndefined()
  rotate.mockResolvedValueOnce({ cookieHandle: '', lifetimeSeconds: 0 })
  expect(await renewal.renew(signedIn('cookie', new Date(0)))).toBeUndefined()
})
