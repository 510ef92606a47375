import { may, roomScope, type Policy, type Subject } from '@parley/permissions'
import { RoomKind } from '@parley/contracts/api'
import {
  roomIsArchived,
  bannedFromRoom,
  dmCannotBeJoined,
  dmCannotBeLeft,
  mayNotJoin,
  universalRoomCannotBeLeft,
} from '../errors.ts'
import type { Outcome } from './outcome.ts'
import type { PolicyRoom, Standing } from './standing.ts'

/** Everybody who may join a universal room is a member already, so joining it writes nothing. */
export function decideJoin(policy: Policy, subject: Subject, room: PolicyRoom, standing: Standing): Outcome {
  if (room.kind === RoomKind.DM) throw dmCannotBeJoined()
  if (standing.banned) throw bannedFromRoom()
  if (!standing.member && !may(policy, subject, 'room.join', roomScope(room))) throw mayNotJoin()
  if (room.archived) throw roomIsArchived()
  return standing.member || room.universal ? 'nothing' : 'change'
}

export function wouldJoin(policy: Policy, subject: Subject, room: PolicyRoom, { member, banned }: Standing): boolean {
  if (room.kind === RoomKind.DM || room.universal || room.archived || member || banned) return false
  return may(policy, subject, 'room.join', roomScope(room))
}

export function decideLeave(room: PolicyRoom, standing: Standing): Outcome {
  if (room.kind === RoomKind.DM) throw dmCannotBeLeft()
  if (room.universal) throw universalRoomCannotBeLeft()
  return standing.member ? 'change' : 'nothing'
}
