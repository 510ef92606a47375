import { isEffectiveMember, may, roomScope, serverScope, type Policy, type Subject } from '@parley/permissions'
import { RoomKind } from '@parley/contracts/api'
import { banOfNonMember, banOfOneself, dmHasNoBans, mayNotBan, mayNotListBans } from '../errors.ts'
import type { Outcome } from './outcome.ts'
import type { PolicyRoom, Standing } from './standing.ts'

export function assertCanBan(policy: Policy, subject: Subject, room: PolicyRoom): void {
  if (room.kind === RoomKind.DM) throw dmHasNoBans()
  if (!may(policy, subject, 'room.ban-member', roomScope(room))) throw mayNotBan()
}

/**
 * Requires the permission for the server, even for the list of one room: moderators of a room must not read the
 * reasons.
 */
export function assertCanListBans(policy: Policy, subject: Subject): void {
  if (!may(policy, subject, 'room.ban-member', serverScope)) throw mayNotListBans()
}

/** Only members can be banned, so nobody is banned twice. */
export function decideBan(
  policy: Policy,
  subject: Subject,
  room: PolicyRoom,
  target: Subject,
  standing: Standing,
): Outcome {
  assertCanBan(policy, subject, room)
  if (target.userId === subject.userId) throw banOfOneself()
  if (!isEffectiveMember(policy, target, room, standing)) throw banOfNonMember()
  return 'change'
}

export function decideUnban(policy: Policy, subject: Subject, room: PolicyRoom, standing: Standing): Outcome {
  assertCanBan(policy, subject, room)
  return standing.banned ? 'change' : 'nothing'
}
