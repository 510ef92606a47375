import { isOwner, may, serverScope, type Permission, type Policy, type Subject } from '@parley/permissions'
import { notOnYourself, ownersAlone, permissionMissing } from '../errors.ts'

type Account = { id: string; roleIds: readonly string[] }

const owns = ({ roleIds }: Account): boolean => isOwner({ userId: '', roleIds })

/** Throws `permission_denied` unless the caller holds the permission on the server. */
export function assertHolds(policy: Policy, caller: Subject, permission: Permission): void {
  if (!may(policy, caller, permission, serverScope)) throw permissionMissing(permission)
}

/** Throws `permission_denied` unless the caller may change this account as an administrator; never their own. */
export function assertMayManage(policy: Policy, caller: Subject, userId: string): void {
  assertHolds(policy, caller, 'user.manage-accounts')
  if (caller.userId === userId) throw notOnYourself()
}

/**
 * Throws `permission_denied` if the account is an owner's and the caller is not an owner, so that nobody can take over
 * an owner's account.
 */
export function assertMayTouch(caller: Subject, account: Account): void {
  if (owns(account) && !isOwner(caller)) throw ownersAlone()
}

/** Throws `permission_denied` unless the caller may delete this account. */
export function assertMayDelete(policy: Policy, caller: Subject, account: Account): void {
  assertHolds(policy, caller, caller.userId === account.id ? 'user.delete-self' : 'user.delete-any')
  assertMayTouch(caller, account)
}

/** Whether the caller may deactivate or reactivate this account; the last owner cannot be deactivated. */
export function mayDeactivate(policy: Policy, caller: Subject, account: Account, isLastOwner: boolean): boolean {
  if (caller.userId === account.id || (owns(account) && !isOwner(caller))) return false
  return may(policy, caller, 'user.manage-accounts', serverScope) && !isLastOwner
}

/** Whether {@link assertMayDelete} allows it for the caller; the last owner cannot be deleted. */
export function mayDelete(policy: Policy, caller: Subject, account: Account, isLastOwner: boolean): boolean {
  const permission = caller.userId === account.id ? 'user.delete-self' : 'user.delete-any'
  return may(policy, caller, permission, serverScope) && (!owns(account) || isOwner(caller)) && !isLastOwner
}
