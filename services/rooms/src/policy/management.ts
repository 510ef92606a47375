import { may, roomScope, type Policy, type Subject } from '@parley/permissions'
import { RoomKind } from '@parley/contracts/api'
import {
  roomIsArchived,
  userIsBanned,
  dmCannotBeManaged,
  mayNotManage,
  universalHasNoExplicitMembers,
} from '../errors.ts'
import type { Outcome } from './outcome.ts'
import type { PolicyRoom, Standing } from './standing.ts'

/** Membership is not required. */
export function assertCanManage(policy: Policy, subject: Subject, room: PolicyRoom): void {
  if (room.kind === RoomKind.DM) throw dmCannotBeManaged()
  if (!may(policy, subject, 'room.manage', roomScope(room))) throw mayNotManage()
}

export function decideArchiving(policy: Policy, subject: Subject, room: PolicyRoom, archived: boolean): Outcome {
  assertCanManage(policy, subject, room)
  return room.archived === archived ? 'nothing' : 'change'
}

export function decideAddition(policy: Policy, subject: Subject, room: PolicyRoom, target: Standing): Outcome {
  assertCanManageMembers(policy, subject, room)
  if (target.banned) throw userIsBanned()
  return target.member ? 'nothing' : 'change'
}

export function decideRemoval(policy: Policy, subject: Subject, room: PolicyRoom, target: Standing): Outcome {
  assertCanManageMembers(policy, subject, room)
  return target.member ? 'change' : 'nothing'
}

function assertCanManageMembers(policy: Policy, subject: Subject, room: PolicyRoom): void {
  assertCanManage(policy, subject, room)
  if (room.universal) throw universalHasNoExplicitMembers()
  if (room.archived) throw roomIsArchived()
}
