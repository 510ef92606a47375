import { may, serverScope, type Policy, type Subject } from '@parley/permissions'
import { RoomKind } from '@parley/contracts/api'
import { dmCannotBeManaged, mayNotArrangeGroups, mayNotManageGroup, movedMeanwhile } from '../errors.ts'
import type { Outcome } from './outcome.ts'
import type { RoomHead } from './standing.ts'

/** Groups themselves and their order. */
export function assertCanArrangeGroups(policy: Policy, subject: Subject): void {
  if (!may(policy, subject, 'role.manage', serverScope)) throw mayNotArrangeGroups()
}

/** For the content of a group: checked at the group, regardless of decisions about single rooms. */
export function assertCanManageGroup(policy: Policy, subject: Subject, groupId: string): void {
  if (!may(policy, subject, 'room.manage', { kind: 'group', groupId })) throw mayNotManageGroup()
}

/** Something goes from the group in which it was seen to another: the right to do so is needed at both ends. */
export type Move = { seenIn: string; groupId: string }

/** `now` is the group that holds it by now. */
export function move(policy: Policy, subject: Subject, now: string, { seenIn, groupId }: Move): Outcome {
  assertCanManageGroup(policy, subject, now)
  assertCanManageGroup(policy, subject, groupId)
  if (now === groupId) return 'nothing'
  if (now !== seenIn) throw movedMeanwhile()
  return 'change'
}

export function moveRoom(policy: Policy, subject: Subject, room: RoomHead, { seenIn, groupId }: Move): Outcome {
  if (room.kind === RoomKind.DM) throw dmCannotBeManaged()
  return move(policy, subject, room.groupId, { seenIn, groupId })
}
