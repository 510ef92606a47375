import { may, roomScope, type Policy, type Subject } from '@parley/permissions'
import type { GetRoomAccessResponse } from '@parley/contracts/internal'
import * as errors from '../errors.ts'

export function assertMayAttach(policy: Policy, subject: Subject, access: GetRoomAccessResponse): void {
  const { exists, effectiveMember, room } = access
  if (!exists || !room) throw errors.roomNotFound()
  if (!effectiveMember) throw errors.notAMember()
  if (room.archived) throw errors.roomArchived()
  if (!may(policy, subject, 'message.attach', roomScope(room))) throw errors.lacksPermission('message.attach')
}
