import { may, serverScope, type Policy, type Subject } from '@parley/permissions'
import { RoomKind } from '@parley/contracts/api'
import { dmCannotBeManaged, mayNotArrangeGroups, mayNotManageGroup, movedMeanwhile } from '../errors.ts'
import type { Outcome } from './outcome.ts'
import type { PolicyRoom } from './standing.ts'

/** Throws unless the subject may create, change, delete and order groups. */
export function assertCanArrangeGroups(policy: Policy, subject: Subject): void {
  if (!may(policy, subject, 'role.manage', serverScope)) throw mayNotArrangeGroups()
}

/** Throws unless the subject may change the content of a group. Decisions about single rooms have no effect. */
export function assertCanManageGroup(policy: Policy, subject: Subject, groupId: string): void {
  if (!may(policy, subject, 'room.manage', { kind: 'group', groupId })) throw mayNotManageGroup()
}

/** A move of an item from the group in which the caller saw it to another one; needs the permission in both groups. */
export type Move = { seenIn: string; groupId: string }

/** Decides about a move. `current` is the item's current group; throws if that is neither `seenIn` nor the destination. */
export function decideMove(policy: Policy, subject: Subject, current: string, { seenIn, groupId }: Move): Outcome {
  assertCanManageGroup(policy, subject, current)
  assertCanManageGroup(policy, subject, groupId)
  if (current === groupId) return 'nothing'
  if (current !== seenIn) throw movedMeanwhile()
  return 'change'
}

export function decideRoomMove(policy: Policy, subject: Subject, room: PolicyRoom, { seenIn, groupId }: Move): Outcome {
  if (room.kind === RoomKind.DM) throw dmCannotBeManaged()
  return decideMove(policy, subject, room.groupId, { seenIn, groupId })
}
