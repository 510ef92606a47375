import { may, type Policy, type Subject } from '@parley/permissions'
import { mayNotCreateRooms } from '../errors.ts'

export function assertCanCreateRoom(policy: Policy, subject: Subject, groupId: string): void {
  if (!may(policy, subject, 'room.create', { kind: 'group', groupId })) throw mayNotCreateRooms()
}
