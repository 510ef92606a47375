import { may, serverScope, type Policy, type Subject } from '@parley/permissions'
import { mayNotDeleteSelf } from '../errors.ts'

/** Throws `permission_denied` unless this user may delete their own account. */
export function assertMayDeleteSelf(policy: Policy, subject: Subject): void {
  if (!may(policy, subject, 'user.delete-self', serverScope)) throw mayNotDeleteSelf()
}
