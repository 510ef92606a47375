import { ParticipantInfo_State, type ParticipantInfo } from 'livekit-server-sdk'
import type { Connection } from '../../domain/connection.ts'

// Of the enums ParticipantInfo.Kind and DisconnectReason, which the SDK does not hand on.
const standard = 0
const duplicateIdentity = 2

/** Not a recorder, an agent or a telephone. */
export const isPerson = ({ kind }: ParticipantInfo): boolean => Number(kind) === standard

export const isThere = ({ state }: ParticipantInfo): boolean => state !== ParticipantInfo_State.DISCONNECTED

export function connectionFrom({ sid, joinedAt, joinedAtMs }: ParticipantInfo, mediaRoomSid: string): Connection {
  // Older servers tell whole seconds: the last moment of it, so that whoever joins again within one is not too early.
  const connectedAt = joinedAtMs > 0n ? Number(joinedAtMs) : Number(joinedAt) * 1000 + 999
  return { sid, mediaRoomSid, connectedAt, disconnected: false }
}

/** The same person has connected anew: that is no leaving. */
export const wasReplaced = ({ disconnectReason }: ParticipantInfo): boolean =>
  Number(disconnectReason) === duplicateIdentity
