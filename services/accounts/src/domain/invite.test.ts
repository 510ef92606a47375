import { expect, test } from '@jest/globals'
import { inviteFrom } from './invite.ts'

const now = new Date('2030-01-01T00:00:00Z')
const after = (days: number) => new Date(now.getTime() + days * 86_400_000)
const wanted = { label: ' new hands ', email: '', maxUses: 0, expiresAt: undefined }

test('an invite is for 1 account and 7 days by default, and for 1,000 accounts and 90 days at most', () => {
  expect(inviteFrom(wanted, now)).toEqual({ label: 'new hands', email: '', maxUses: 1, expiresAt: after(7) })
  expect(inviteFrom({ ...wanted, maxUses: 1_000, expiresAt: after(90) }, now)).toMatchObject({ maxUses: 1_000 })
})

test.each([
  ['an expiry that is not in the future', { expiresAt: now }],
  ['an expiry after more than 90 days', { expiresAt: after(90.01) }],
  ['an expiry that is not a valid time', { expiresAt: new Date(Number.NaN) }],
  ['a use by more than 1,000 accounts', { maxUses: 1_001 }],
  ['a use by several accounts with one address', { email: 'a@example.org', maxUses: 2 }],
])('an invite with %s is refused', (_, invalid) => {
  expect(() => inviteFrom({ ...wanted, ...invalid }, now)).toThrow('invalid invite')
})
