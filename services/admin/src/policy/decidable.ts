import { appliesAt, isPermission, type Permission, type ScopeKind } from '@parley/permissions'
import { notDecidableAt, unknownPermission } from '../errors.ts'

/** Throws `invalid_argument` for an unknown permission, or one that cannot be decided at this kind of scope. */
export function assertDecidable(permission: string, kind: ScopeKind): asserts permission is Permission {
  if (!isPermission(permission)) throw unknownPermission(permission)
  if (!appliesAt(permission, kind)) throw notDecidableAt(permission, kind)
}
