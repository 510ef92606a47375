import { ParticipantInfo_State, type ParticipantInfo } from 'livekit-server-sdk'
import type { Connection } from '../../domain/connection.ts'

// Values of the enums ParticipantInfo.Kind and DisconnectReason, which the SDK does not export.
const standard = 0
const duplicateIdentity = 2

export const isPerson = ({ kind }: ParticipantInfo): boolean => Number(kind) === standard

export const isConnected = ({ state }: ParticipantInfo): boolean => state !== ParticipantInfo_State.DISCONNECTED

export function connectionFrom({ sid, joinedAt, joinedAtMs }: ParticipantInfo, mediaRoomSid: string): Connection {
  // Older media servers report whole seconds. The end of the second is used, so that somebody who returns right after
  // leaving does not seem to have connected before leaving.
  const connectedAt = joinedAtMs > 0n ? Number(joinedAtMs) : Number(joinedAt) * 1000 + 999
  return { sid, mediaRoomSid, connectedAt, disconnected: false }
}

/** Whether a new connection of the same person replaced this one: then the person has not left. */
export const wasReplaced = ({ disconnectReason }: ParticipantInfo): boolean =>
  Number(disconnectReason) === duplicateIdentity
