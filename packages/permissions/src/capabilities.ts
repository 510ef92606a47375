import { bitsOf } from './bits.ts'
import type { Policy } from './policy.ts'
import { allowedBits, isOwner, resolve, serverScope, type Subject } from './resolve.ts'

/** A feature that the viewer's client may offer; the fields of `svc.api.v1.CapabilityGrant`. */
export type CapabilityGrant = { capability: string; granted: boolean }

const anyAdminPermission = bitsOf(
  'server.manage',
  'role.manage',
  'role.assign',
  'room.manage',
  'room.ban-member',
  'user.delete-any',
  'user.manage-accounts',
  'user.manage-permissions',
  'admin.view-users',
  'admin.view-audit',
)

/** `capabilities.grants` of GetViewer, in the contract's order. */
export function capabilities(policy: Policy, subject: Subject): CapabilityGrant[] {
  const allowed = allowedBits(policy, subject, serverScope)
  const any = (bits: number) => (allowed & bits) !== 0
  return [
    { capability: 'admin.view', granted: any(anyAdminPermission) },
    { capability: 'dm.start', granted: mayStartDm(policy, subject) },
    { capability: 'admin.view-users', granted: any(bitsOf('admin.view-users')) },
    { capability: 'user.manage-accounts', granted: any(bitsOf('user.manage-accounts')) },
    { capability: 'role.assign', granted: any(bitsOf('role.assign')) },
    { capability: 'role.view', granted: any(bitsOf('role.manage', 'role.assign', 'user.manage-permissions')) },
    { capability: 'role.manage', granted: any(bitsOf('role.manage')) },
    { capability: 'admin.view-system', granted: isOwner(subject) },
    { capability: 'admin.view-audit', granted: any(bitsOf('admin.view-audit')) },
    { capability: 'user.manage-permissions', granted: any(bitsOf('user.manage-permissions')) },
  ]
}

/** Anyone who is not denied message.post at server scope may start a direct message. */
export function mayStartDm(policy: Policy, subject: Subject): boolean {
  return resolve(policy, subject, 'message.post', serverScope) !== 'deny'
}
