import { Code } from '@connectrpc/connect'
import { defaultPolicy, ownerRoleId, policyFrom } from '@parley/permissions'
import { expect, test } from '@jest/globals'
import { assertMayDeleteSelf } from './self-deletion.ts'

const standard = defaultPolicy()
const withoutIt = {
  ...standard,
  decisions: standard.decisions.filter(({ permission }) => permission !== 'user.delete-self'),
}
const member = { userId: 'U1', roleIds: [] }

test('people may delete themselves unless the server denies it', () => {
  expect(() => assertMayDeleteSelf(policyFrom(standard), member)).not.toThrow()
  expect(() => assertMayDeleteSelf(policyFrom(withoutIt), member)).toThrow(
    expect.objectContaining({ code: Code.PermissionDenied }),
  )
  expect(() => assertMayDeleteSelf(policyFrom(withoutIt), { userId: 'U2', roleIds: [ownerRoleId] })).not.toThrow()
})
