import { defaultPolicy, policyFrom } from '@parley/permissions'
import { expect, test } from '@jest/globals'
import { assertMayDelete, mayDelete } from './administration.ts'

const policy = policyFrom(defaultPolicy())
const account = (id: string, ...roleIds: string[]) => ({ id, userId: id, roleIds })
const [owner, otherOwner, admin, user] = [
  account('Uowner', 'owner'),
  account('Uother', 'owner'),
  account('Uadmin', 'admin'),
  account('Uuser'),
]

test.each([
  ['a user may delete their own account', user, user, true],
  ['a user may not delete another account', user, admin, false],
  ['an admin may delete another account', admin, user, true],
  ['an admin may delete their own account', admin, admin, true],
  ['an admin may not delete an owner', admin, owner, false],
  ['an owner may delete another owner', owner, otherOwner, true],
  ['an owner may delete their own account', owner, owner, true],
])('%s; nobody may delete the last owner', (_, caller, target, allowed) => {
  expect(mayDelete(policy, caller, target, false)).toBe(allowed)
  expect(mayDelete(policy, caller, target, true)).toBe(false)
  const assert = () => assertMayDelete(policy, caller, target)
  if (allowed) expect(assert).not.toThrow()
  else expect(assert).toThrow('permission_denied')
})
