import { appliesAt, isPermission, type Permission, type ScopeKind } from '@parley/permissions'
import { notDecidableAt, unknownPermission } from '../errors.ts'

export function assertDecidable(permission: string, kind: ScopeKind): asserts permission is Permission {
  if (!isPermission(permission)) throw unknownPermission(permission)
  if (!appliesAt(permission, kind)) throw notDecidableAt(permission, kind)
}
