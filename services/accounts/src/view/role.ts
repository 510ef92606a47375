import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { effectiveAt, serverScope, type Policy } from '@parley/permissions'
import type { AdminRoleSchema } from '@parley/contracts/admin'
import { RoleSchema, type Role } from '@parley/contracts/api'
import type { PolicyRole } from '@parley/contracts/internal'

const byPosition = ({ roles }: Policy): PolicyRole[] => [...roles.values()].sort((a, b) => a.position - b.position)

export const roleNamesOf = (roleIds: readonly string[], policy: Policy): string[] =>
  roleIds
    .flatMap((id) => policy.roles.get(id) ?? [])
    .sort((a, b) => a.position - b.position)
    .map(({ name }) => name)

export const toRoles = (policy: Policy): Role[] => byPosition(policy).map(toRole)

export const toMentionableRoles = (policy: Policy): Role[] =>
  byPosition(policy)
    .filter(({ pingable }) => pingable)
    .map(toRole)

export const toAdminRoles = (policy: Policy): MessageInitShape<typeof AdminRoleSchema>[] =>
  byPosition(policy).map((role) => {
    const { allowed, denied } = effectiveAt(policy, { kind: 'role', id: role.id }, serverScope)
    return { role: toRole(role), permissions: [...allowed], permissionDenials: [...denied] }
  })

function toRole({ name, displayName, description, isSystem, position, pingable }: PolicyRole): Role {
  return create(RoleSchema, { name, displayName, description, isSystem, position, pingable })
}
