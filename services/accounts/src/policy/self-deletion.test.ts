import { Code } from '@connectrpc/connect'
import { defaultPolicy, ownerRoleId, policyFrom } from '@parley/permissions'
import { expect, test } from '@jest/globals'
import { assertMayDeleteSelf } from './self-deletion.ts'

const policyWithPermission = defaultPolicy()
const policyWithout = {
  ...policyWithPermission,
  decisions: policyWithPermission.decisions.filter(({ permission }) => permission !== 'user.delete-self'),
}
const member = { userId: 'U1', roleIds: [] }

test('users need user.delete-self to delete their account; owners do not', () => {
  expect(() => assertMayDeleteSelf(policyFrom(policyWithPermission), member)).not.toThrow()
  expect(() => assertMayDeleteSelf(policyFrom(policyWithout), member)).toThrow(
    expect.objectContaining({ code: Code.PermissionDenied }),
  )
  expect(() => assertMayDeleteSelf(policyFrom(policyWithout), { userId: 'U2', roleIds: [ownerRoleId] })).not.toThrow()
})
