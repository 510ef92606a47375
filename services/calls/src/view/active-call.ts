import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { ActiveCallSchema, type ActiveCall, type User } from '@parley/contracts/api'
import type { RoomHeader } from '@parley/contracts/internal'
import type { CallRow } from '../store/calls.ts'
import type { ParticipantRow } from '../store/participants.ts'

export function toActiveCall(
  { id: callId }: CallRow,
  { roomId, kind, name }: RoomHeader,
  participants: readonly ParticipantRow[],
  users: ReadonlyMap<string, User>,
): ActiveCall {
  return create(ActiveCallSchema, {
    room: { id: roomId, kind, name },
    callId,
    participants: participants.flatMap(({ userId, joinedAt }) => {
      const user = users.get(userId)
      return user ? [{ user, joinedAt: timestampFromDate(joinedAt), callId }] : []
    }),
  })
}
