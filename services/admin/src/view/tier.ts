import type { MessageInitShape } from '@bufbuild/protobuf'
import { appliesAt, inheritedAt, permissions, storedAt, type Policy, type Scope } from '@parley/permissions'
import type { TierRolesSchema } from '@parley/contracts/admin'
import { rolesInOrder } from '../domain/role-order.ts'
import { toRole } from './role.ts'

/** With the permissions that would apply without the decisions at this scope. */
export function toTierRoles(policy: Policy, scope: Scope): MessageInitShape<typeof TierRolesSchema> {
  const kind = scope.kind === 'dm' ? 'room' : scope.kind
  return {
    applicablePermissions: permissions
      .map(({ permission }) => permission)
      .filter((permission) => appliesAt(permission, kind)),
    roles: rolesInOrder(policy).map((role) => {
      const holder = { kind: 'role', id: role.id } as const
      const [stored, inherited] = [storedAt(policy, holder, scope), inheritedAt(policy, holder, scope)]
      return {
        role: toRole(role),
        override: { permissions: [...stored.allowed], permissionDenials: [...stored.denied] },
        inheritedAllows: [...inherited.allowed],
        inheritedDenials: [...inherited.denied],
      }
    }),
  }
}
