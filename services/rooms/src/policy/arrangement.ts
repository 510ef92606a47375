import { may, serverScope, type Policy, type Subject } from '@parley/permissions'
import { RoomKind } from '@parley/contracts/api'
import { dmCannotBeManaged, mayNotArrangeGroups, mayNotManageGroup, movedMeanwhile } from '../errors.ts'
import type { Outcome } from './outcome.ts'
import type { PolicyRoom } from './standing.ts'

export function assertCanArrangeGroups(policy: Policy, subject: Subject): void {
  if (!may(policy, subject, 'role.manage', serverScope)) throw mayNotArrangeGroups()
}

export function assertCanManageGroup(policy: Policy, subject: Subject, groupId: string): void {
  if (!may(policy, subject, 'room.manage', { kind: 'group', groupId })) throw mayNotManageGroup()
}

export type Move = { originId: string; groupId: string }

/**
 * Needs the permission in both groups. `current`: the group of the item now. Throws if that is neither `originId` nor
 * `groupId`: somebody else moved the item.
 */
export function decideMove(policy: Policy, subject: Subject, current: string, { originId, groupId }: Move): Outcome {
  assertCanManageGroup(policy, subject, current)
  assertCanManageGroup(policy, subject, groupId)
  if (current === groupId) return 'nothing'
  if (current !== originId) throw movedMeanwhile()
  return 'change'
}

export function decideRoomMove(policy: Policy, subject: Subject, room: PolicyRoom, move: Move): Outcome {
  if (room.kind === RoomKind.DM) throw dmCannotBeManaged()
  return decideMove(policy, subject, room.groupId, move)
}
