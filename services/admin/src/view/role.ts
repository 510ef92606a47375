import { create } from '@bufbuild/protobuf'
import { RoleSchema, type Role } from '@parley/contracts/api'
import type { RoleRow } from '../store/roles.ts'

export function toRole(row: Omit<RoleRow, 'id'>): Role {
  const { name, displayName, description, isSystem, position, pingable } = row
  return create(RoleSchema, { name, displayName, description, isSystem, position, pingable })
}
