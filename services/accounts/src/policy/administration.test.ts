import { defaultPolicy, policyFrom } from '@parley/permissions'
import { expect, test } from '@jest/globals'
import { assertMayDelete, mayDelete } from './administration.ts'

const policy = policyFrom(defaultPolicy())
const account = (id: string, ...roleIds: string[]) => ({ id, userId: id, roleIds })
const [owner, other, admin, user] = [
  account('Uowner', 'owner'),
  account('Uother', 'owner'),
  account('Uadmin', 'admin'),
  account('Uuser'),
]

test.each([
  [user, user, true],
  [user, admin, false],
  [admin, user, true],
  [admin, admin, true],
  [admin, owner, false],
  [owner, other, true],
  [owner, owner, true],
])('whether $userId may delete $id', (caller, target, allowed) => {
  expect(mayDelete(policy, caller, target, false)).toBe(allowed)
  expect(mayDelete(policy, caller, target, true)).toBe(false)
  const assert = () => assertMayDelete(policy, caller, target)
  if (allowed) expect(assert).not.toThrow()
  else expect(assert).toThrow('permission_denied')
})
