import type { MessageInitShape } from '@bufbuild/protobuf'
import { effectiveAt, may, serverScope, type Policy, type Subject } from '@parley/permissions'
import type { AdminRoleSchema } from '@parley/contracts/admin'
import type { PolicyRole } from '@parley/contracts/internal'
import { toRole } from './role.ts'

/** Permissions at server scope; `owner` is always allowed all of them. */
export function toAdminRole(policy: Policy, role: PolicyRole): MessageInitShape<typeof AdminRoleSchema> {
  const { allowed, denied } = effectiveAt(policy, { kind: 'role', id: role.id }, serverScope)
  return { role: toRole(role), permissions: [...allowed], permissionDenials: [...denied] }
}

export const toRoleRights = (policy: Policy, viewer: Subject) => ({
  viewerCanManageRoles: may(policy, viewer, 'role.manage', serverScope),
  viewerCanAssignRoles: may(policy, viewer, 'role.assign', serverScope),
})
