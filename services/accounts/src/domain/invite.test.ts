import { expect, test } from '@jest/globals'
import { inviteFrom } from './invite.ts'

const now = new Date('2030-01-01T00:00:00Z')
const after = (days: number) => new Date(now.getTime() + days * 86_400_000)
const wanted = { label: ' new hands ', email: '', maxUses: 0, expiresAt: undefined }

test('by default an invite is for one account and a week', () => {
  expect(inviteFrom(wanted, now)).toEqual({ label: 'new hands', email: '', maxUses: 1, expiresAt: after(7) })
  expect(inviteFrom({ ...wanted, maxUses: 1_000, expiresAt: after(90) }, now)).toMatchObject({ maxUses: 1_000 })
})

test.each([
  ['an end that is over', { expiresAt: now }],
  ['an end after 90 days', { expiresAt: after(90.01) }],
  ['an end that is no time', { expiresAt: new Date(Number.NaN) }],
  ['too many accounts', { maxUses: 1_001 }],
  ['several accounts with one address', { email: 'a@example.org', maxUses: 2 }],
])('%s is refused', (_, faulty) => {
  expect(() => inviteFrom({ ...wanted, ...faulty }, now)).toThrow('invalid invite')
})
