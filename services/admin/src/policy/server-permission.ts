import { isOwner, may, serverScope, type Permission, type Policy, type Subject } from '@parley/permissions'
import { permissionRequired, onlyOwners } from '../errors.ts'

export function assertMay(policy: Policy, subject: Subject, permission: Permission): void {
  if (!may(policy, subject, permission, serverScope)) throw permissionRequired(permission)
}

export function assertOwner(subject: Subject): void {
  if (!isOwner(subject)) throw onlyOwners()
}
