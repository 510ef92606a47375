import { may, serverScope, type Policy, type Subject } from '@parley/permissions'
import { mayNotDeleteSelf } from '../errors.ts'

export function assertMayDeleteSelf(policy: Policy, subject: Subject): void {
  if (!may(policy, subject, 'user.delete-self', serverScope)) throw mayNotDeleteSelf()
}
