import { isOwner, may, serverScope, type Permission, type Policy, type Subject } from '@parley/permissions'
import { notForOwnAccount, onlyForOwners, permissionMissing } from '../errors.ts'

type Account = { id: string; roleIds: readonly string[] }

const hasOwnerRole = ({ roleIds }: Account): boolean => isOwner({ userId: '', roleIds })

export function assertPermission(policy: Policy, caller: Subject, permission: Permission): void {
  if (!may(policy, caller, permission, serverScope)) throw permissionMissing(permission)
}

export function assertMayManage(policy: Policy, caller: Subject, userId: string): void {
  assertPermission(policy, caller, 'user.manage-accounts')
  if (caller.userId === userId) throw notForOwnAccount()
}

/** Nobody but an owner may take over an owner's account. */
export function assertOwnerIfTargetIsOwner(caller: Subject, account: Account): void {
  if (hasOwnerRole(account) && !isOwner(caller)) throw onlyForOwners()
}

/** Does not check whether the account is the last owner's. */
export function assertMayDelete(policy: Policy, caller: Subject, account: Account): void {
  assertPermission(policy, caller, caller.userId === account.id ? 'user.delete-self' : 'user.delete-any')
  assertOwnerIfTargetIsOwner(caller, account)
}

export function mayDeactivate(policy: Policy, caller: Subject, account: Account, isLastOwner: boolean): boolean {
  if (caller.userId === account.id || (hasOwnerRole(account) && !isOwner(caller))) return false
  return may(policy, caller, 'user.manage-accounts', serverScope) && !isLastOwner
}

export function mayDelete(policy: Policy, caller: Subject, account: Account, isLastOwner: boolean): boolean {
  const permission = caller.userId === account.id ? 'user.delete-self' : 'user.delete-any'
  return may(policy, caller, permission, serverScope) && (!hasOwnerRole(account) || isOwner(caller)) && !isLastOwner
}
